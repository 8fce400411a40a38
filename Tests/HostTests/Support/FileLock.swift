import Foundation

/// A lock that one test at a time can hold, across processes.
enum FileLock {
    /// Runs `body` while holding the lock at `path`.
    static func hold(_ path: String, _ body: () throws -> Void) throws {
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        // A signal to the test process may interrupt the wait.
        while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
        try body()
    }
}
