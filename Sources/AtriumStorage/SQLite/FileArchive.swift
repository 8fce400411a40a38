internal import AtriumKit
internal import CSQLite
internal import Glibc

/// Files in one SQLite database, as rows that any SQLite program can read.
///
/// `about` describes the archive, `files` lists the files, and `parts` holds their bytes. The application id
/// and the user version mark the archive and give its format.
package final class FileArchive {
    /// "Atri", in the header of the file.
    private static let applicationID = 0x4174_7269
    package static let currentFormat = 1
    /// 1 MB: a row of SQLite must be smaller than 1 GB, and is held in memory.
    package static let partSize = 1 << 20

    private let connection: PlainConnection

    package struct Entry: Sendable, Hashable {
        /// The path in the folder.
        package let name: String
        package let mode: UInt32
        package let size: Int
        package let digest: String

        package init(name: String, mode: UInt32, size: Int, digest: String) {
            (self.name, self.mode, self.size, self.digest) = (name, mode, size, digest)
        }
    }

    /// Creates an archive in an empty file that only this process uses; ``finish()`` completes it.
    package init(creating path: String) throws {
        connection = try PlainConnection(path, owner: "backup", SQLITE_OPEN_READWRITE)
        try connection.run(
            """
            PRAGMA application_id = \(Self.applicationID);
            PRAGMA user_version = \(Self.currentFormat);
            PRAGMA journal_mode = OFF;
            BEGIN;
            CREATE TABLE about(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
            CREATE TABLE files(
                name TEXT PRIMARY KEY, mode INTEGER NOT NULL, size INTEGER NOT NULL, digest TEXT NOT NULL
            ) WITHOUT ROWID;
            CREATE TABLE parts(name TEXT NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL);
            CREATE UNIQUE INDEX partsByName ON parts(name, number);
            """)
    }

    /// Opens an archive to read it.
    package init(reading path: String) throws {
        connection = try PlainConnection(path, owner: "backup", SQLITE_OPEN_READONLY)
    }

    /// The format in a file's header; nil if it is no archive.
    package static func format(of path: String) -> Int? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var header = [UInt8](repeating: 0, count: 72)
        // The fields are described in section 1.3 of sqlite.org/fileformat.html.
        guard Glibc.read(descriptor, &header, 72) == 72, header.starts(with: "SQLite format 3\0".utf8) else {
            return nil
        }
        return header.number(at: 68) == applicationID ? header.number(at: 60) : nil
    }

    /// True if SQLite finds no damage in the file's structure.
    package var isSound: Bool {
        get throws { try connection.query("PRAGMA quick_check(1)").first?[0] == "ok" }
    }

    package func set(_ key: String, _ value: String) throws {
        try connection.run("INSERT INTO about VALUES (?, ?)", [.text(key), .text(value)])
    }

    package func about(_ key: String) throws -> String? {
        try connection.query("SELECT value FROM about WHERE key = ?", [.text(key)]).first?[0]
    }

    package func add(_ part: [UInt8], number: Int, of name: String) throws {
        try connection.run(
            "INSERT INTO parts VALUES (?, ?, ?)", [.text(name), .integer(Int64(number)), .blob(part)])
    }

    package func add(_ entry: Entry) throws {
        try connection.run(
            "INSERT INTO files VALUES (?, ?, ?, ?)",
            [
                .text(entry.name), .integer(Int64(entry.mode)), .integer(Int64(entry.size)),
                .text(entry.digest),
            ])
    }

    /// Removes the parts of a file that changed while it was read.
    package func removeParts(of name: String) throws {
        try connection.run("DELETE FROM parts WHERE name = ?", [.text(name)])
    }

    package var entries: [Entry] {
        get throws {
            try connection.query("SELECT name, mode, size, digest FROM files ORDER BY name").map { row in
                Entry(
                    name: row[0] ?? "", mode: UInt32(row[1] ?? "") ?? 0o600, size: Int(row[2] ?? "") ?? -1,
                    digest: row[3] ?? "")
            }
        }
    }

    /// Calls `use` with the bytes of a file, part by part.
    package func read(_ name: String, _ use: ([UInt8]) throws -> Void) throws {
        try connection.run("SELECT data FROM parts WHERE name = ? ORDER BY number", [.text(name)]) { row in
            let count = Int(sqlite3_column_bytes(row, 0))
            guard count > 0, let bytes = sqlite3_column_blob(row, 0) else { return }
            try use([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
        }
    }

    package func finish() throws { try connection.run("COMMIT") }
}
