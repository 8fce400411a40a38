internal import AtriumKit
internal import CSQLite

/// A connection for the host, without the rules for modules.
final class PlainConnection {
    private let location: DatabaseLocation
    private var pointer: OpaquePointer?

    /// Opens a file; `patience` is the time to wait for the locks of others, in milliseconds.
    init(_ path: String, owner: String, _ flags: CInt, patience: CInt = 5_000) throws {
        location = DatabaseLocation(owner: owner, path: path)
        let code = sqlite3_open_v2(location.filePath, &pointer, flags | SQLITE_OPEN_NOMUTEX, nil)
        sqlite3_extended_result_codes(pointer, 1)
        sqlite3_busy_timeout(pointer, patience)
        guard code == SQLITE_OK else { throw failure(code) }
        if flags & SQLITE_OPEN_READONLY != 0, let pointer {
            try DatabaseFile.requireAllPages(of: pointer, at: location)
        }
    }

    deinit { sqlite3_close_v2(pointer) }

    func run(_ sql: String) throws {
        let code = sqlite3_exec(pointer, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, in: sql) }
    }

    /// Attaches another database as `source`.
    func attach(_ path: String) throws {
        var uri = path
        for (character, code) in [("%", "%25"), ("?", "%3f"), ("#", "%23"), ("'", "''")] {
            uri = uri.replacing(character, with: code)
        }
        try run("ATTACH 'file:\(uri)?mode=ro' AS source")
    }

    /// All rows as texts.
    func query(_ sql: String, _ arguments: [DatabaseValue] = []) throws -> [[String?]] {
        var rows: [[String?]] = []
        try run(sql, arguments) { statement in
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) }
                })
        }
        return rows
    }

    /// Runs one statement, and calls `use` at each row.
    func run(
        _ sql: String, _ arguments: [DatabaseValue], _ use: (OpaquePointer) throws -> Void = { _ in }
    ) throws {
        try forEachRow(sql, arguments) { try use($0.pointer) }
    }

    /// Runs one statement, and calls `use` with it at each row.
    func forEachRow(
        _ sql: String, _ arguments: [DatabaseValue] = [], _ use: (PreparedStatement) throws -> Void
    ) throws {
        var pointer: OpaquePointer?
        guard sqlite3_prepare_v2(self.pointer, sql, -1, &pointer, nil) == SQLITE_OK, let pointer else {
            throw failure(sqlite3_extended_errcode(self.pointer), in: sql)
        }
        let statement = PreparedStatement(pointer, sql: sql)
        // An unfinalized statement keeps the connection open.
        defer { statement.finalize() }
        guard statement.bind(arguments) == 0 else { throw failure(SQLITE_MISUSE, in: sql) }
        while true {
            switch sqlite3_step(pointer) {
            case SQLITE_ROW: try use(statement)
            case SQLITE_DONE: return
            case let code: throw failure(code, in: sql)
            }
        }
    }

    func backUp(to target: PlainConnection) throws {
        guard let backup = sqlite3_backup_init(target.pointer, "main", pointer, "main") else {
            throw target.failure(sqlite3_extended_errcode(target.pointer))
        }
        // In one step: a writer between two steps would restart the copy.
        let code = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw target.failure(end == SQLITE_OK ? code : end)
        }
    }

    private func failure(_ code: CInt, in sql: String? = nil) -> DatabaseError {
        let words =
            pointer.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        let systemError = SystemError(number: pointer.map { sqlite3_system_errno($0) } ?? 0)
        return .sqlite(
            SQLiteFailure(resultCode: code, words: words, systemError: systemError), at: location, sql: sql)
    }
}
