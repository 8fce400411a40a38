import AtriumKit

struct LiveUserDirectory: ReadOnlyRecordService {
    let api: any APIClient

    func page(_ query: RecordQuery<DirectoryUser>) async throws -> RecordPage<DirectoryUser> {
        let answer = try await api.request(.users(query))
        guard let total = answer.total else {
            throw APIError.invalidResponse(
                "The server's page does not say how many users there are.", status: nil)
        }
        return RecordPage(rows: answer.rows.map(\.user), total: total)
    }

    func record(_ id: String) async throws -> DirectoryUser {
        try await ServiceError.explaining("The user could not be read") {
            do {
                return try await api.request(.user(id)).user
            } catch let error as APIError where error.status == 404 {
                throw ServiceError.noRecord(DirectoryUser.self, id, cause: error)
            }
        }
    }
}

/// Lists the users of this machine who have submitted a profile.
///
/// Accounts and their addresses are in the Session module's database, so users have no address here, and all
/// are active. A machine has few users: all are read, then filtered.
struct LocalUserDirectory: ReadOnlyRecordService {
    let database: any Database

    func page(_ query: RecordQuery<DirectoryUser>) async throws -> RecordPage<DirectoryUser> {
        let users = try await database.read { try $0.query(ProfileQueries.names, [], decode: Self.user) }
        return try query.page(of: users)
    }

    func record(_ id: String) async throws -> DirectoryUser {
        let user = try await database.read {
            try $0.first(ProfileQueries.name, [.text(id)], decode: Self.user)
        }
        guard let user else { throw ServiceError.noRecord(DirectoryUser.self, id) }
        return user
    }

    private static func user(_ row: DatabaseRow) throws -> DirectoryUser {
        let profile = Profile(firstName: try row.value(1), lastName: try row.value(2))
        return DirectoryUser(id: try row.value(0), name: profile.fullName)
    }
}

extension DirectoryUser {
    static let samples = [
        DirectoryUser(id: "mock-mohamed", name: "mohamed@example.com", email: "mohamed@example.com"),
        DirectoryUser(id: "mock-grace", name: "Grace Hopper", email: "grace@example.com"),
        DirectoryUser(id: "mock-alan", name: "Alan Turing", email: "alan@example.com", status: .inactive),
        DirectoryUser(id: "mock-ada", name: "Ada Lovelace", email: "ada@example.com"),
        DirectoryUser(id: "mock-hannah", name: "Hannah Fry", email: "hannah@example.com"),
        DirectoryUser(id: "mock-konrad", name: "konrad Zuse", email: "konrad@example.com", status: .inactive),
    ]
    static let edgeSamples = [
        DirectoryUser(id: "mock-edge-1", name: "Zażółć Gęślą-Jaźń", email: "zażółć.gęślą@przykład.example"),
        DirectoryUser(id: "mock-edge-2", name: "用户 👩‍👩‍👧‍👦", email: "用户@例え.example"),
        DirectoryUser(
            id: "mock-edge-3", name: String(repeating: "Wolfeschlegelsteinhausen", count: 8),
            status: .inactive),
        DirectoryUser(id: "mock-edge-5", name: "ADA"), DirectoryUser(id: "mock-edge-4", name: "ada"),
        DirectoryUser(id: "mock-edge-6", name: "mock-edge-6", status: .inactive),
    ]
}
