/// A module's database as its services see it: notes the statements of calls that are tapped.
struct TappedDatabase: Database {
    let database: any Database

    nonisolated(nonsending) func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        guard let call = TappedCall.current else { return try await database.read(body) }
        return try await database.read { try body(TappedConnection(connection: $0, call: call)) }
    }

    nonisolated(nonsending) func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        guard let call = TappedCall.current else { return try await database.write(body) }
        return try await database.write { try body(TappedConnection(connection: $0, call: call)) }
    }
}

private struct TappedConnection: DatabaseConnection {
    let connection: any DatabaseConnection
    let call: TappedCall

    var dialect: Dialect { connection.dialect }

    func execute(_ sql: String, _ arguments: [DatabaseValue]) throws -> Int {
        try noting(sql) { try connection.execute(sql, arguments) }
    }

    func query<Value>(
        _ sql: String, _ arguments: [DatabaseValue], decode: (DatabaseRow) throws -> Value
    ) throws -> [Value] {
        try noting(sql) { try connection.query(sql, arguments, decode: decode) }
    }

    func insert(
        into table: String, _ columns: [String],
        rows: (_ add: ([DatabaseValue]) throws -> Void) throws -> Void
    ) throws -> Int {
        try noting("INSERT INTO \(table), many rows") {
            try connection.insert(into: table, columns, rows: rows)
        }
    }

    func announce(_ announcement: Announcement) { connection.announce(announcement) }

    /// Notes a statement without its arguments, which may be secret.
    private func noting<Value>(_ sql: String, _ run: () throws -> Value) rethrows -> Value {
        let start = ContinuousClock.now
        defer {
            let time = start.duration(to: .now)
            call.note(CallStep(sql.split(whereSeparator: \.isWhitespace).joined(separator: " "), time))
        }
        return try run()
    }
}
