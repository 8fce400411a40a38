import AtriumKit

/// The server on this machine, without a network.
actor LocalServer: Server {
    private let database: any Database
    private let clock: any WallClock
    private var issued = 0

    init(database: any Database, clock: any WallClock) {
        self.database = database
        self.clock = clock
    }

    func refresh() -> Token {
        issued += 1
        return Token(text: "\(issued)", expiry: clock.now().adding(seconds: 60))
    }

    func member(_ token: Token) async throws -> Member? {
        try check(token)
        return try await database.read { connection in
            try connection.first("SELECT first_name, last_name, age FROM member") { row in
                Member(firstName: try row.value(0), lastName: try row.value(1), age: try row.value(2))
            }
        }
    }

    func submit(_ member: Member, _ token: Token) async throws {
        try check(token)
        try await database.write { connection in
            _ = try connection.execute(
                "INSERT OR REPLACE INTO member (id, first_name, last_name, age) VALUES (1, ?, ?, ?)",
                [member.firstName.databaseValue, member.lastName.databaseValue, member.age.databaseValue])
        }
    }

    private func check(_ token: Token) throws {
        guard token.text == "\(issued)" else { throw ServiceError.revokedToken }
    }
}
