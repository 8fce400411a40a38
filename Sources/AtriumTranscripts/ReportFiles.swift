@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumPrompt
internal import AtriumStorage
internal import AtriumText
internal import Glibc

/// The files that a run writes, checked before anything is played.
enum ReportFiles {
    /// - Throws: ``ShellError`` with exit code 2 if one is an input or another transcript, or can't be written.
    static func check(
        _ options: Options, transcripts: [String], _ configuration: String
    ) throws(ShellError) {
        let inputs = [configuration] + [options.authority, options.httpReplay].compactMap(\.self)
        let files: [(option: String, file: String?)] = [
            ("--html", options.htmlFile), ("--xunit", options.xunitFile), ("--cast", options.castFile),
            ("--svg", options.svgFile), ("--record-http", options.httpRecording),
        ]
        var written: [(option: String, file: String)] = []
        for case (let option, let file?) in files {
            if transcripts.contains(where: { isSame($0, file) })
                || TranscriptFiles.isTranscript(file) && FileStatus(of: file) != nil
            {
                throw .usage("'\(file)' is a transcript", "name the file of the report first", option)
            }
            if inputs.contains(where: { isSame($0, file) }) {
                throw .usage("'\(file)' is read by this run", "name another file for '\(option)'", option)
            }
            if let other = written.first(where: { isSame($0.file, file) }) {
                throw .usage(
                    "'\(other.option)' and '\(option)' both write '\(file)'", "name two files", option)
            }
            try checkWritable(file)
            written.append((option, file))
        }
        if let file = options.httpRecording { try checkRecording(file) }
    }

    /// True if two paths lead to one file, also if there is none yet.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else {
            return realPath(one) == realPath(other)
        }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    private static func realPath(_ path: String) -> String {
        FileSystem.realPath(path) ?? FileSystem.normalized(TranscriptFiles.absolute(path))
    }

    private static func checkWritable(_ file: String) throws(ShellError) {
        do { _ = try AtomicFile(file, replaces: true) } catch {
            throw ShellError(
                error.code, error.message, hint: error.hint ?? "Choose another file.", cause: error,
                category: .usage)
        }
    }

    /// Refuses a file that is no recording, and so none to replace or to continue.
    private static func checkRecording(_ file: String) throws(ShellError) {
        guard let status = FileStatus(of: file), status.size > 0 else { return }
        let bytes = (try? FileContents.read(file, limit: 256_000_000)) ?? []
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let text = String(decoding: bytes[start...], as: UTF8.self)
        let json = try? StateCoding.decode(JSONValue.self, from: text)
        if case .array(_)? = json?["log"]?["entries"] { return }
        throw .usage("'\(file)' is not a recording", "name another file for '--record-http'", "--record-http")
    }
}

/// The recording that the hosts of a run write; at the end it replaces an earlier one.
struct RequestRecording {
    private let file: String
    /// The file that the hosts write.
    let written: String

    init?(_ options: Options) {
        guard let path = options.httpRecording.map(TranscriptFiles.absolute) else { return nil }
        file = FileSystem.realPath(path) ?? path
        written = options.continuesRecording ? file : "\(file).\(getpid())"
    }

    /// Performs work whose hosts record; the recording is kept whichever way it ends.
    @MainActor static func during(
        _ options: Options, _ work: () async throws -> ExitStatus
    ) async throws -> ExitStatus {
        let recording = RequestRecording(options)
        if let recording, recording.written != recording.file { unlink(recording.written) }
        let status: ExitStatus
        do { status = try await work() } catch {
            try? recording?.finish()
            throw error
        }
        try recording?.finish()
        return status
    }

    private func finish() throws(ShellError) {
        // No host has recorded: an earlier recording stays.
        guard written != file, FileStatus(of: written) != nil, rename(written, file) != 0 else { return }
        throw ShellError(
            "fileUnwritable", "'\(file)' can't be replaced: \(SystemError.current.reason).",
            hint: "The new recording is '\(written)'.")
    }
}

extension ShellError {
    fileprivate static func usage(_ fact: String, _ advice: String, _ option: String) -> ShellError {
        ShellError(
            "usage", "\(fact); \(advice).", hint: "'\(option) FILE' replaces what FILE has.",
            category: .usage)
    }
}
