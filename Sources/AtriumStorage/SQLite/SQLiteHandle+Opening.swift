internal import AtriumKit
internal import CSQLite
internal import Glibc

extension SQLiteHandle {
    /// Opens the file, which is created for its owner alone where it is missing, and the folders above it.
    ///
    /// Where the file system has no shared memory, as over a network, SQLite keeps its older journal in
    /// place of the write-ahead log; commits are durable in both.
    static func open(
        _ location: DatabaseLocation, busyTimeout: Duration, cancellation: CancellationFlag
    ) throws -> SQLiteHandle {
        do {
            try createFile(location)
        } catch {
            throw DatabaseError.uncreatable(error, at: location)
        }
        let callbacks = ConnectionCallbacks(busyTimeout: busyTimeout)
        callbacks.cancellation = cancellation
        var pointer: OpaquePointer?
        let code = sqlite3_open_v2(
            location.filePath, &pointer, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard let pointer else {
            let failure = SQLiteFailure(resultCode: code, words: String(cString: sqlite3_errstr(code)))
            throw DatabaseError.sqlite(failure, at: location)
        }
        let handle = SQLiteHandle(pointer, at: location, callbacks: callbacks)
        do {
            guard code == SQLITE_OK else { throw handle.error() }
            try handle.configure(deadline: .now + busyTimeout)
            return handle
        } catch {
            handle.close()
            throw error
        }
    }

    /// Makes an empty file with mode 0600, which SQLite gives to the files beside it too.
    ///
    /// With `mknod`, not `open`: to close a descriptor of the file drops all locks that this process has
    /// on it, those of another connection too.
    private static func createFile(_ location: DatabaseLocation) throws(SystemError) {
        let path = location.filePath
        let create = { mknod(path, S_IFREG | 0o600, 0) == 0 || errno == EEXIST }
        if create() { return }
        guard errno == ENOENT, let folder = FolderCreation.parent(of: path) else { throw .current }
        try FolderCreation.create(folder)
        guard create() else { throw .current }
    }

    private func configure(deadline: ContinuousClock.Instant) throws {
        // Two connections that switch a new file to WAL at the same time: SQLite tells one of them that it
        // is busy without asking the busy handler.
        while let failure = run(Self.settings) {
            let isBusy = failure.primaryCode == SQLITE_BUSY && !isCancellation(failure)
            guard isBusy, .now < deadline else { throw error(for: failure) }
            ConnectionCallbacks.sleep(.milliseconds(2))
        }
    }

    private static let settings = """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA foreign_keys = ON;
        PRAGMA trusted_schema = OFF;
        """
}
