@_spi(Host) internal import AtriumKit
internal import CSQLite

final class PreparedStatement {
    let sql: String
    let isReadOnly: Bool
    let parameterCount: Int
    /// True if the cache owns it; otherwise it is finalized after use.
    var isCached = false
    /// True if a query is stepping through it.
    var isInUse = true
    /// In the cache's time.
    var lastUse: UInt64 = 0

    let pointer: OpaquePointer
    private var knownColumns: [DatabaseRow.Column]?
    private var compilation: Int32 = 0

    init(_ pointer: OpaquePointer, sql: String) {
        self.pointer = pointer
        self.sql = sql
        isReadOnly = sqlite3_stmt_readonly(pointer) != 0
        parameterCount = Int(sqlite3_bind_parameter_count(pointer))
    }

    /// Binds one argument to each parameter and returns SQLite's result code.
    func bind(_ arguments: [DatabaseValue]) -> Int32 {
        for (index, argument) in arguments.enumerated() {
            let code = bind(argument, at: Int32(index + 1))
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }

    /// Ends the run and releases the arguments.
    func reset() {
        sqlite3_reset(pointer)
        if parameterCount > 0 { sqlite3_clear_bindings(pointer) }
    }

    func finalize() { sqlite3_finalize(pointer) }

    /// The columns, valid after the first step, which may compile the statement again.
    func columns() -> [DatabaseRow.Column] {
        let current = sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_REPREPARE, 0)
        if let knownColumns, compilation == current { return knownColumns }
        let columns = (0..<sqlite3_column_count(pointer)).map { index in
            DatabaseRow.Column(
                name: sqlite3_column_name(pointer, index).map { String(cString: $0) } ?? "",
                table: sqlite3_column_table_name(pointer, index).map { String(cString: $0) })
        }
        knownColumns = columns
        compilation = current
        return columns
    }

    /// Reads the current row into `values`.
    ///
    /// - Throws: ``DatabaseError`` with code `databaseMismatch` for a text that is not valid UTF-8.
    func readRow(_ columns: [DatabaseRow.Column], into values: inout [DatabaseValue]) throws {
        values.removeAll(keepingCapacity: true)
        for index in columns.indices {
            guard let value = value(at: Int32(index)) else {
                throw DatabaseError.invalidText(in: columns[index])
            }
            values.append(value)
        }
    }
}

extension PreparedStatement {
    /// Makes SQLite copy a value; a macro that Swift does not import.
    private static var transient: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    private func bind(_ value: DatabaseValue, at index: Int32) -> Int32 {
        switch value {
        case .null:
            return sqlite3_bind_null(pointer, index)
        case .integer(let integer):
            return sqlite3_bind_int64(pointer, index, integer)
        case .real(let real):
            return sqlite3_bind_double(pointer, index, real)
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    sqlite3_bind_text64(
                        pointer, index, bytes.baseAddress, UInt64(bytes.count), Self.transient,
                        UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let blob):
            // An empty array may have no address, which would mean NULL.
            guard !blob.isEmpty else { return sqlite3_bind_zeroblob(pointer, index, 0) }
            return blob.withUnsafeBytes { bytes in
                sqlite3_bind_blob64(pointer, index, bytes.baseAddress, UInt64(bytes.count), Self.transient)
            }
        }
    }

    /// Nil for a text that is not valid UTF-8.
    private func value(at index: Int32) -> DatabaseValue? {
        switch sqlite3_column_type(pointer, index) {
        case SQLITE_INTEGER:
            return .integer(sqlite3_column_int64(pointer, index))
        case SQLITE_FLOAT:
            return .real(sqlite3_column_double(pointer, index))
        case SQLITE_TEXT:
            return text(at: index).map(DatabaseValue.text)
        case SQLITE_BLOB:
            let bytes = sqlite3_column_blob(pointer, index)
            let count = Int(sqlite3_column_bytes(pointer, index))
            return .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
        default:
            return .null
        }
    }

    private func text(at index: Int32) -> String? {
        // In this order: reading the text may convert it and change its length.
        guard let bytes = sqlite3_column_text(pointer, index) else { return nil }
        let count = Int(sqlite3_column_bytes(pointer, index))
        let buffer = UnsafeBufferPointer(start: bytes, count: count)
        // The generic initializer for buffers costs three times as much.
        let text = buffer.withMemoryRebound(to: CChar.self) { String(validatingCString: $0.baseAddress!) }
        if let text, text.utf8.count == count { return text }
        return String(validating: buffer, as: UTF8.self)
    }
}

/// A least-recently-used cache of compiled statements.
struct StatementCache {
    private let capacity: Int
    private var statements: [String: PreparedStatement] = [:]
    private var time: UInt64 = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { statements.count }

    /// Nil if there is no free statement with this text.
    mutating func take(_ sql: String) -> PreparedStatement? {
        guard let statement = statements[sql], !statement.isInUse else { return nil }
        time += 1
        statement.lastUse = time
        statement.isInUse = true
        return statement
    }

    /// Adds a new statement, unless one with the same text or all others are in use.
    mutating func insert(_ statement: PreparedStatement) {
        guard statements[statement.sql] == nil, evict() else { return }
        time += 1
        statement.lastUse = time
        statement.isCached = true
        statements[statement.sql] = statement
    }

    func release(_ statement: PreparedStatement) {
        guard statement.isCached else { return statement.finalize() }
        statement.reset()
        statement.isInUse = false
    }

    mutating func removeAll() {
        for statement in statements.values { statement.finalize() }
        statements = [:]
    }

    private mutating func evict() -> Bool {
        guard statements.count >= capacity else { return true }
        let oldest = statements.values.filter { !$0.isInUse }.min { $0.lastUse < $1.lastUse }
        guard let oldest else { return false }
        statements[oldest.sql] = nil
        oldest.finalize()
        return true
    }
}
