internal import AtriumKit
internal import CSQLite
internal import Glibc

/// Creates the file of a database.
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
            guard status.kind == .file, status.size <= 1 else { return }
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
