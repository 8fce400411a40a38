internal import CSQLite
internal import Glibc

extension SQLiteHandle {
    /// Gives back the disk space that a large transaction took in the write-ahead log.
    ///
    /// SQLite begins the log anew but does not shorten it: what one transaction needed stays taken until the
    /// last connection closes the file, also where that transaction was rolled back. Called outside of a
    /// transaction, and costs one `stat` unless the log is large. Where somebody reads, nobody waits for
    /// that: the log is shortened after a later transaction.
    ///
    /// - Parameter isDiskFull: Whether every byte counts.
    func shortenLog(isDiskFull: Bool = false) {
        var status = stat()
        guard stat(logPath, &status) == 0, status.st_size > (isDiskFull ? 0 : Self.largeLog) else { return }
        callbacks.waitsForLocks = false
        defer { callbacks.waitsForLocks = true }
        if isDiskFull { cutLog() }
        checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    }

    /// Twice what SQLite lets the log grow to before it moves it into the file.
    private static let largeLog = 8 << 20

    private var logPath: String { location.filePath + "-wal" }

    /// Cuts off what stands in the log behind the last commit.
    ///
    /// What was committed has to be moved into the file before the log can be emptied, and a log that took
    /// the last byte of the disk leaves no room for that. Behind the last commit nobody reads, and nobody
    /// else writes while this connection has the lock for it.
    private func cutLog() {
        guard (try? begin(.writing)) != nil else { return }
        defer { _ = rollBack() }
        guard !isFileGone, let size = WriteAheadLog.committedSize(logPath) else { return }
        truncate(logPath, size)
    }
}
