internal import AtriumKit
internal import AtriumLanguage
internal import AtriumRuntime
internal import AtriumStorage
internal import AtriumText
internal import Glibc

/// The destination of a command's result instead of the screen: a file, or the input of a program.
@MainActor
protocol ResultTarget: AnyObject {
    var name: String { get }
    /// Writes bytes; returns the error number if it can't.
    func write(_ bytes: UnsafeRawBufferPointer) -> CInt?
    /// Waits until everything is written, and returns whether more is wanted.
    func drained() async throws -> Bool
    /// Closes it; if `keeps` is false, the command failed, and an unwritten file stays as it was.
    ///
    /// - Throws: ``ShellError`` if the program failed.
    func close(keeps: Bool) async throws
}

/// A file or program of this process.
enum LocalTarget {
    @MainActor
    static func open(_ destination: OutputRedirection) async throws -> any ResultTarget {
        switch destination {
        case .file(let word, let appends):
            FileTarget.isRegular(word.text)
                ? try FileTarget(word.text, appends: appends) : try await DeviceTarget.open(word.text)
        case .program(let text): try ProgramTarget(text)
        case .pager: try ProgramTarget(pager)
        }
    }

    /// Runs `$PAGER`, else `less`; without either, the text is printed as it is.
    private static let pager = """
        p=${PAGER-less}; command -v ${p%% *} >/dev/null 2>&1 || p=cat; export LESS="${LESS-FRX}"; eval "$p"
        """
}

/// A file, emptied when the first result is written.
@MainActor
final class FileTarget: ResultTarget {
    let name: String
    private let path: String
    private let descriptor: CInt
    private let appends: Bool
    private let isNew: Bool
    private var isWritten = false

    init(_ path: String, appends: Bool) throws(ShellError) {
        self.path = path
        self.appends = appends
        name = "'\(path)'"
        isNew = FileStatus(of: path) == nil
        descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (appends ? O_APPEND : 0), 0o666)
        guard descriptor >= 0 else { throw Self.unwritable(path, errno) }
        // With the permissions that a shell would give: the host's own files are private.
        if isNew { fchmod(descriptor, 0o666 & ~UserMask.value) }
    }

    /// True if it is a file, or will be, rather than a pipe or a device.
    static func isRegular(_ path: String) -> Bool {
        // Opening a folder fails with the reason.
        [nil, .file, .folder].contains(FileStatus(of: path)?.kind)
    }

    static func unwritable(_ path: String, _ number: CInt) -> ShellError {
        ShellError(
            "fileUnwritable",
            "'\(path)' can't be written: \(String(cString: strerror(number))); the command was not run.",
            hint: "Choose another file, or make the folder first.")
    }

    private func empty() {
        if !isWritten, !appends { _ = ftruncate(descriptor, 0) }
        isWritten = true
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> CInt? {
        empty()
        return OutputStream.write(bytes, to: descriptor)
    }

    func drained() async throws -> Bool { true }

    func close(keeps: Bool) async throws {
        if keeps { empty() } else if isNew, !isWritten { unlink(path) }
        // Some file systems report only now that there is no room.
        guard Glibc.close(descriptor) != 0, errno != EINTR, isWritten else { return }
        throw ShellError.outputFailed(name, errno: errno)
    }
}

/// A target that calls a closure after it is closed.
@MainActor
final class PausingTarget: ResultTarget {
    private let target: any ResultTarget
    private let didClose: @MainActor () -> Void
    var name: String { target.name }

    init(_ target: any ResultTarget, didClose: @escaping @MainActor () -> Void) {
        self.target = target
        self.didClose = didClose
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> CInt? { target.write(bytes) }
    func drained() async throws -> Bool { try await target.drained() }

    func close(keeps: Bool) async throws {
        defer { didClose() }
        try await target.close(keeps: keeps)
    }
}

/// A program that reads the results.
@MainActor
private final class ProgramTarget: ResultTarget {
    let name: String
    private let text: String
    private let program: ReadingProgram

    init(_ text: String) throws {
        self.text = text
        name = "'\(text)'"
        program = try ReadingProgram(
            text, output: HostOutput.standardOutput, errors: HostOutput.standardError)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> CInt? {
        program.write(Array(bytes))
        return nil
    }

    func drained() async throws -> Bool { await program.drained() }

    func close(keeps: Bool) async throws {
        guard let problem = await program.end() else { return }
        throw ShellError(
            "programFailed", "The program '\(text.shortened)' \(problem).",
            hint: "The command itself was \(keeps ? "done" : "not done").")
    }
}
