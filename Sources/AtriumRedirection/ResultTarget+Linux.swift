@_spi(Host) internal import AtriumKit
package import AtriumLanguage
internal import AtriumLibraries
internal import AtriumStorage
internal import AtriumText
internal import Glibc

/// The destination of a command's result instead of the screen: a file, or the input of a program.
@MainActor
package protocol ResultTarget: AnyObject {
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
package enum LocalTarget {
    @MainActor
    package static func open(_ destination: OutputRedirection) async throws -> any ResultTarget {
        switch destination {
        case .file(let word, _) where !FileTarget.isRegular(word.text):
            try await DeviceTarget.open(word.text)
        case .file(let word, let appends):
            appends ? try AppendingTarget(word.text) : try FileTarget(word.text)
        case .program(let text): try ProgramTarget(text)
        case .pager: try ProgramTarget(pager)
        }
    }

    /// Runs `$PAGER`, else `less`; without either, or if it can't be executed, the text is printed as it is.
    private static let pager = """
        p=${PAGER-less}; export LESS="${LESS-FRX}"
        { command -v ${p%% *} && sh -nc "$p"; } >/dev/null 2>&1 || p=cat
        eval "$p"
        case $? in 126 | 127) exec cat ;; esac
        """
}

/// A file that is replaced once all of the result is written, and else stays as it was.
@MainActor
final class FileTarget: ResultTarget {
    let name: String
    private var file: AtomicFile?
    private let descriptor: CInt
    private var isWritten = false
    private var hasFailed = false

    init(_ path: String) throws(ShellError) {
        name = "'\(path)'"
        let isNew = FileStatus(of: path) == nil
        do {
            let file = try AtomicFile(path, replaces: true)
            descriptor = file.descriptor
            // With the permissions that a shell would give: the host's own files are private.
            if isNew { fchmod(descriptor, 0o666 & ~UserMask.value) }
            self.file = consume file
        } catch {
            throw ShellError(
                "fileUnwritable", "\(error.message.dropLast()); the command was not run.",
                hint: Self.openingHint, cause: error)
        }
    }

    /// True if it is a file, or will be, rather than a pipe or a device.
    static func isRegular(_ path: String) -> Bool {
        // Opening a folder fails with the reason.
        [nil, .file, .folder].contains(FileStatus(of: path)?.kind)
    }

    static func unwritable(_ path: String, _ number: CInt) -> ShellError {
        ShellError(
            "fileUnwritable",
            "The file '\(path)' can't be written: \(SystemError(number: number).reason); "
                + "the command was not run.",
            hint: openingHint)
    }

    private static let openingHint = "Choose another file, or make the folder first."

    func write(_ bytes: UnsafeRawBufferPointer) -> CInt? {
        isWritten = true
        let number = OutputStream.write(bytes, to: descriptor)
        if number != nil { hasFailed = true }
        return number
    }

    func drained() async throws -> Bool { true }

    func close(keeps: Bool) async throws {
        guard let file = self.file.take() else { return }
        guard !hasFailed, keeps || isWritten else { return }
        do {
            try file.finish()
        } catch {
            throw ShellError("outputFailed", error.message, hint: error.hint, cause: error)
        }
    }
}

/// A file that the result is appended to; a failed write leaves it as it was.
@MainActor
private final class AppendingTarget: ResultTarget {
    let name: String
    private let path: String
    private let descriptor: CInt
    private let isNew: Bool
    /// The size at the first write.
    private var formerSize: off_t?
    private var hasFailed = false

    init(_ path: String) throws(ShellError) {
        self.path = path
        name = "'\(path)'"
        isNew = FileStatus(of: path) == nil
        descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw FileTarget.unwritable(path, errno) }
        if isNew { fchmod(descriptor, 0o666 & ~UserMask.value) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> CInt? {
        if formerSize == nil { formerSize = lseek(descriptor, 0, SEEK_END) }
        let number = OutputStream.write(bytes, to: descriptor)
        if number != nil { hasFailed = true }
        return number
    }

    func drained() async throws -> Bool { true }

    func close(keeps: Bool) async throws {
        if hasFailed, let formerSize { _ = ftruncate(descriptor, formerSize) }
        if isNew, hasFailed || !keeps && formerSize == nil { unlink(path) }
        // Some file systems report only now that there is no room.
        guard Glibc.close(descriptor) != 0, errno != EINTR, formerSize != nil else { return }
        throw ShellError.outputFailed(name, errno: errno)
    }
}

/// A program that has the terminal after the command is done: Ctrl-C belongs to it then.
@MainActor
package final class TerminalTarget: ResultTarget {
    private let target: any ResultTarget
    private let hasTerminal: @MainActor (Bool) -> Void
    private let wasInterrupted: @MainActor () -> Void
    package var name: String { target.name }

    /// Calls `wasInterrupted` if Ctrl-C ended the program, which is no failure.
    package init(
        _ target: any ResultTarget, hasTerminal: @escaping @MainActor (Bool) -> Void,
        wasInterrupted: @escaping @MainActor () -> Void
    ) {
        (self.target, self.hasTerminal, self.wasInterrupted) = (target, hasTerminal, wasInterrupted)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> CInt? { target.write(bytes) }
    package func drained() async throws -> Bool { try await target.drained() }

    package func close(keeps: Bool) async throws {
        hasTerminal(true)
        defer { hasTerminal(false) }
        do {
            try await target.close(keeps: keeps)
        } catch let error as ShellError where error.code == .programInterrupted {
            wasInterrupted()
        }
    }
}

extension ErrorCode { fileprivate static let programInterrupted: ErrorCode = "programInterrupted" }

@MainActor
private final class ProgramTarget: ResultTarget {
    let name: String
    private let text: String
    private let program: ReadingProgram

    init(_ text: String) throws {
        self.text = text
        name = "'\(text.shortened)'"
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
            problem.isInterrupt ? .programInterrupted : "programFailed",
            "The program '\(text.shortened)' \(problem).",
            hint: "The command itself was \(keeps ? "done" : "not done").")
    }
}
