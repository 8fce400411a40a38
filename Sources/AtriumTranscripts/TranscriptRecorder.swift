internal import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage
internal import AtriumText
internal import Glibc

/// Records the lines typed in a scene, and their output, as a transcript.
///
/// Each line is written as soon as it has been carried out, and the file appears at the end. A secret that
/// was asked for without echo is never written: it becomes `<secret-N>`, the same for the same secret.
@MainActor
final class TranscriptRecorder {
    /// The name of the scene.
    static let scene = Scene.main
    private var file: AtomicFile?
    private let descriptor: CInt
    private var hasBegun = false
    private let folder: TranscriptFolder
    private let start = SystemClock().now()
    /// The running line; nil between lines.
    private var typed: String?
    private var answers: [String] = []
    private var printed = ""
    private var secrets: [String] = []
    private(set) var count = 0
    private var failure: ShellError?

    /// Begins the file.
    ///
    /// - Throws: ``ShellError`` if it exists and may not be replaced, or can't be written.
    init(_ path: String, shown: String, replaces: Bool, in folder: TranscriptFolder) throws(ShellError) {
        self.folder = folder
        do {
            let file = try AtomicFile(path, replaces: replaces)
            descriptor = file.descriptor
            // The file can be run as a program.
            fchmod(descriptor, 0o777 & ~UserMask.value)
            self.file = consume file
        } catch {
            let exists = error.code == .fileExists
            throw ShellError(
                exists ? error.code : "fileUnwritable",
                exists ? "The file '\(shown)' exists already." : error.message,
                hint: exists ? "Give --replace to replace it, or name another file." : "Choose another file.",
                cause: error, category: .usage)
        }
    }

    /// Writes the first line, which plays the transcript in the same environment.
    func begin(in environment: String) {
        // The host may return after a crash.
        guard !hasBegun else { return }
        hasBegun = true
        write(["#!/usr/bin/env -S atrium test --env \(environment)"])
    }

    /// Ends after an error: keeps what was recorded, and leaves no file if there is nothing.
    func abandon() { if hasBegun { try? close() } }

    /// Records a typed line.
    func type(_ line: String) {
        flush()
        typed = line
    }

    /// Records output of the running line, or above the prompt.
    func print(_ text: String) { printed += text }

    /// Records that the host was given a secret.
    func answer(_ secret: String) {
        if !secrets.contains(secret) { secrets.append(secret) }
        answers.append(PlayedSecret.placeholder(1 + (secrets.firstIndex(of: secret) ?? 0)))
    }

    /// Records that the line has been carried out; a line that left the prompt is not kept.
    func didRun(ends: Bool) {
        if ends { (typed, answers, printed) = (nil, [], "") }
        flush()
    }

    /// Writes the rest, and gives the file its name.
    ///
    /// - Throws: An error if it could not be written; what was there before stays.
    func close() throws {
        flush()
        guard let file = self.file.take() else { return }
        if let failure { throw failure }
        try file.finish()
    }

    var hasSecrets: Bool { !secrets.isEmpty }

    private func flush() {
        defer { (typed, answers, printed) = (nil, [], "") }
        guard typed?.isEmpty == false || !printed.isEmpty else { return }
        let input = (typed ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        let first = typed == nil ? "\(Self.scene)>" : "\(Self.scene)> \(input[0])"
        let output = ExpectedOutput([]).updated(
            by: PrintedOutput(folder.naming(printed), status: 0), since: start, now: SystemClock().now())
        count += 1
        write([""] + [first] + input.dropFirst().map { "> \($0)" } + answers.map { "secret> \($0)" } + output)
    }

    private func write(_ lines: [String]) {
        guard failure == nil else { return }
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        guard let number = bytes.withUnsafeBytes({ OutputStream.write($0, to: descriptor) }) else { return }
        failure = ShellError(
            "fileUnwritable", "The transcript can't be written: \(SystemError(number: number).reason).",
            hint: "Make room, and record it again.")
    }
}
