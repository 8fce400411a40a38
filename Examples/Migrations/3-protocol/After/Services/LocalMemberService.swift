import AtriumKit

/// The member in the module's database.
struct LocalMemberService: MemberService {
    let database: any Database

    func member() async throws -> Member? {
        try await database.read { connection in
            try connection.first("SELECT first_name, last_name, age FROM member") { row in
                Member(firstName: try row.value(0), lastName: try row.value(1), age: try row.value(2))
            }
        }
    }

    func submit(_ member: Member) async throws {
        try await database.write { connection in
            _ = try connection.execute(
                "INSERT OR REPLACE INTO member (id, first_name, last_name, age) VALUES (1, ?, ?, ?)",
                [member.firstName.databaseValue, member.lastName.databaseValue, member.age.databaseValue])
        }
    }
}
