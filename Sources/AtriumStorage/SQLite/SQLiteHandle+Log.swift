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
    /// - Parameter limit: How many bytes a log may keep.
    func shortenLog(to limit: Int = largeLog) {
        var status = stat()
        guard stat(location.filePath + "-wal", &status) == 0, status.st_size > limit else { return }
        callbacks.waitsForLocks = false
        defer { callbacks.waitsForLocks = true }
        checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    }

    /// Twice what SQLite lets the log grow to before it moves it into the file.
    static let largeLog = 8 << 20
}
