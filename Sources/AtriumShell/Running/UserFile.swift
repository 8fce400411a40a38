internal import AtriumKit
internal import AtriumStorage
internal import AtriumText
internal import Glibc
internal import Synchronization

/// A file named by a user: it may be a pipe without a writer, or a kernel file that never ends.
package enum UserFile {
    private static let hasOwnInput = Flag()

    /// Prevents standard input from being read as a file: its bytes are messages.
    package static func reserveStandardInput() { hasOwnInput.set() }

    /// Reads the file without blocking the main actor; a cancellation ends the wait.
    ///
    /// - Throws: `StorageError`, or `CancellationError`.
    @MainActor
    static func read(_ path: String, limit: Int = FileContents.defaultLimit) async throws -> [UInt8] {
        guard !hasOwnInput.isSet || !isStandardInput(path) else {
            throw ShellError.standardInputIsTaken(path)
        }
        // Kernel files, which may block, report size zero.
        if isOrdinary(path) { return try FileContents.read(path, limit: limit) }
        let isCancelled = Flag()
        let promise = Promise<[UInt8]>(onAbandon: { isCancelled.set() })
        let isStarted = SystemThread.start {
            promise.settle(
                Result {
                    try FileContents.read(path, limit: limit, allowsPipes: true) { isCancelled.isSet }
                })
        }
        guard isStarted else { throw ShellError.noThread }
        return try await promise.value()
    }

    private static func isStandardInput(_ path: String) -> Bool {
        var (file, input) = (stat(), stat())
        return stat(path, &file) == 0 && fstat(STDIN_FILENO, &input) == 0
            && (file.st_dev, file.st_ino) == (input.st_dev, input.st_ino)
    }

    /// True if it is a regular, non-empty file, which no process can delay.
    static func isOrdinary(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }
}

/// A flag that is set once, and is visible to all threads.
final class Flag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .acquiring) }
    func set() { state.store(true, ordering: .releasing) }
}

extension ShellError {
    fileprivate static func standardInputIsTaken(_ path: String) -> ShellError {
        ShellError(
            "badInput", "'\(path)' is the host's standard input, over which its client sends messages.",
            hint: "Name a file.")
    }

    static let noThread = ShellError(
        "tooFewResources", "The system has no thread left for this process.",
        hint: "Raise the limit: ulimit -u 4096")
}
