internal import AtriumKit
internal import CSQLite
internal import Glibc

/// Creates the file of a database, and notices the loss of a part of it.
///
/// SQLite takes a file of up to one byte for a new database, so the loss of data would go unnoticed if a file
/// was emptied. A new file therefore appears with its first page, even if the host is killed meanwhile.
enum DatabaseFile {
    /// Creates the file and the folders above it, for their owner alone, unless it exists.
    ///
    /// - Throws: ``DatabaseError`` if that fails, or with code `databaseCorrupt` if the file was emptied.
    static func create(_ location: DatabaseLocation) throws {
        try gate.enter { try createIfMissing(location) }
    }

    /// One at a time: a caller that found no file would remove the log opened by the creator of the file.
    private static let gate = Gate()

    private static func createIfMissing(_ location: DatabaseLocation) throws {
        let path = location.filePath
        if let status = FileStatus(of: path, followsLinks: false) {
            // SQLite looks for the log beside the file that a link leads to, and would ignore this one.
            let log = logSuffixes.map { path + $0 }.first { size(of: $0) > 0 }
            if status.kind == .link, let log {
                throw DatabaseError.separated(from: log, at: location)
            }
            guard let file = FileStatus(of: path), file.kind == .file, file.size <= 1 else { return }
            throw DatabaseError.sqlite(
                SQLiteFailure(resultCode: SQLITE_NOTADB, words: "it is empty"), at: location)
        }
        do throws(SystemError) {
            guard errno == ENOENT else { throw .current }
            if let folder = Folder.parent(of: path) { try Folder.create(folder) }
        } catch {
            throw DatabaseError.unwritable(error.reason, at: location, cause: error)
        }
        // The log of a removed file, which SQLite would replay into the new one.
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        do throws(FileError) {
            let file = try AtomicFile(path, replaces: false)
            try file.write(firstPage)
            try file.finish()
            // SQLite gives its log the same permissions.
            chmod(path, 0o600)
        } catch  where error.code == .fileExists {
            // Another process created it meanwhile.
        } catch {
            throw DatabaseError.uncreatable(error, at: location)
        }
    }

    private static let logSuffixes = ["-wal", "-journal"]

    private static func size(of path: String) -> Int {
        FileStatus(of: path)?.size ?? 0
    }

    // MARK: - Missing pages

    /// Checks that each page is in the file or in its log; SQLite reads missing bytes as zeros.
    ///
    /// A host that ended while it moved the log into the file leaves a short one; the log has the rest.
    ///
    /// - Throws: ``DatabaseError`` with code `databaseCorrupt`.
    static func requireAllPages(of connection: OpaquePointer, at location: DatabaseLocation) throws {
        let path = String(cString: sqlite3_db_filename(connection, "main"))
        // Twice, because another process may make the file shorter in between.
        guard let first = header(of: connection), missing(first, of: path) != nil,
            let second = header(of: connection), let words = missing(second, of: path)
        else { return }
        throw DatabaseError.sqlite(SQLiteFailure(resultCode: SQLITE_CORRUPT, words: words), at: location)
    }

    /// The header of an open file; nil if it is shorter.
    ///
    /// Read by SQLite: closing another descriptor of the file would release the locks of this process on it.
    private static func header(of connection: OpaquePointer) -> [UInt8]? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let read = file.pointee.pMethods?.pointee.xRead
        else { return nil }
        var header = [UInt8](repeating: 0, count: 100)
        return read(file, &header, 100, 0) == SQLITE_OK ? header : nil
    }

    /// The sizes of a file that misses a page, which is not in its log either; nil if it has all.
    private static func missing(_ header: [UInt8], of path: String) -> String? {
        // The fields are described in section 1.3 of sqlite.org/fileformat.html.
        let pageSize = header[16] == 0 && header[17] == 1 ? 65_536 : Int(header[16]) << 8 | Int(header[17])
        guard header.starts(with: "SQLite format 3\0".utf8), pageSize >= 512,
            header.number(at: 24) == header.number(at: 92),
            size(of: path) < header.number(at: 28) * pageSize, size(of: path + "-journal") == 0
        else { return nil }
        let log = loggedPages(in: path + "-wal", pageSize: pageSize)
        let count = log.count ?? header.number(at: 28)
        // After the log: another process that emptied the log meanwhile has completed the file before.
        let length = size(of: path)
        guard length < count * pageSize else { return nil }
        // SQLite never writes the page of its locks.
        let lockPage = (1 << 30) / pageSize + 1
        let isMissing = (length / pageSize + 1...count).contains { $0 != lockPage && !log.pages.contains($0) }
        return isMissing ? "it has \(length) of \(count * pageSize) bytes" : nil
    }

    /// The pages that are committed in a write-ahead log, and the number of pages after its last commit.
    ///
    /// See section 4.1 of sqlite.org/fileformat.html; checksums are left to SQLite.
    private static func loggedPages(in path: String, pageSize: Int) -> (pages: Set<Int>, count: Int?) {
        var pages: Set<Int> = []
        var count: Int?
        let log = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard log >= 0 else { return (pages, count) }
        defer { Glibc.close(log) }
        func bytes(_ count: Int, at offset: Int) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            return pread(log, &bytes, count, offset) == count ? bytes : nil
        }
        let length = size(of: path)
        guard let start = bytes(32, at: 0) else { return (pages, count) }
        var uncommitted: Set<Int> = []
        var end = 32 + 24 + pageSize
        while end <= length, let frame = bytes(24, at: end - 24 - pageSize), frame[8..<16] == start[16..<24] {
            uncommitted.insert(frame.number(at: 0))
            if frame.number(at: 4) > 0 {
                pages.formUnion(uncommitted)
                uncommitted = []
                count = frame.number(at: 4)
            }
            end += 24 + pageSize
        }
        return (pages, count)
    }

    // MARK: - A new file

    /// The first and only page of a database without tables, in WAL mode with incremental vacuum.
    ///
    /// See "The Database File Format" of SQLite, sections 1.3 and 1.6.
    private static let firstPage: [UInt8] = {
        var page = [UInt8](repeating: 0, count: 4096)
        page.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8))
        // The page size; the write and read versions, which mean WAL; the payload fractions.
        page.replaceSubrange(16..<24, with: [0x10, 0x00, 2, 2, 0, 64, 32, 32])
        page[27] = 1  // the change counter
        page[31] = 1  // the number of pages
        page[55] = 1  // the largest root page; not 0, so pages can be moved
        page[59] = 1  // UTF-8
        page[67] = 1  // incremental vacuum: pages are moved on demand
        page[95] = 1  // the change counter for which the number of pages is valid
        page[100] = 0x0D  // a leaf of a table, without cells,
        page[105] = 0x10  // whose content would start at the end of the page
        return page
    }()
}

extension [UInt8] {
    /// The four bytes from `offset`, the most significant first.
    func number(at offset: Int) -> Int { self[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
}
