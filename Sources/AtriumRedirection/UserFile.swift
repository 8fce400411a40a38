internal import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage
internal import AtriumText
internal import Dispatch
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
    package static func read(_ path: String, limit: Int = FileContents.defaultLimit) async throws -> [UInt8] {
        guard !hasOwnInput.isSet || !isStandardInput(path) else {
            throw ShellError.standardInputIsTaken(path)
        }
        // Kernel files, which may block, report size zero.
        if isOrdinary(path) { return try FileContents.read(path, limit: limit) }
        guard waiting < mostWaiting else { throw ShellError.tooManyPipes(mostWaiting) }
        waiting += 1
        let isCancelled = Flag()
        let promise = Promise<[UInt8]>(onAbandon: { isCancelled.set() })
        let isStarted = SystemThread.start {
            let result = Result {
                try FileContents.read(path, limit: limit, allowsPipes: true) { isCancelled.isSet }
            }
            DispatchQueue.main.async { MainActor.assumeIsolated { waiting -= 1 } }
            promise.settle(result)
        }
        guard isStarted else {
            waiting -= 1
            throw ShellError.noThread
        }
        return try await promise.value()
    }

    /// The number of pipes and devices being read; each takes a thread and a descriptor.
    @MainActor private static var waiting = 0
    private static let mostWaiting = 64

    private static func isStandardInput(_ path: String) -> Bool {
        var (file, input) = (stat(), stat())
        return stat(path, &file) == 0 && fstat(STDIN_FILENO, &input) == 0
            && (file.st_dev, file.st_ino) == (input.st_dev, input.st_ino)
    }

    /// True if it is a regular, non-empty file, which no process can delay.
    static func isOrdinary(_ path: String) -> Bool {
        FileStatus(of: path).map { $0.kind == .file && $0.size > 0 } ?? false
    }
}

/// A flag that is set once, and is visible to all threads.
package final class Flag: Sendable {
    package init() {}

    private let state = Atomic(false)

    package var isSet: Bool { state.load(ordering: .acquiring) }
    package func set() { state.store(true, ordering: .releasing) }
}

extension ShellError {
    fileprivate static func standardInputIsTaken(_ path: String) -> ShellError {
        ShellError(
            "badInput", "'\(path)' is the host's standard input, over which its client sends messages.",
            hint: "Name a file.")
    }

    fileprivate static func tooManyPipes(_ limit: Int) -> ShellError {
        ShellError(
            "tooFewResources", "The host is already reading \(limit) pipes.",
            hint: "Close the writing ends, or cancel the commands that read them.")
    }

    static let noThread = ShellError(
        "tooFewResources", "The system has no thread left for this process.",
        hint: "Raise the limit: ulimit -u 4096")
}
