import AtriumKit

/// Lists the people of this machine who have submitted a profile.
///
/// Accounts, and with them addresses, are the Session module's, in a database that no other module sees. So
/// the directory has whoever told their name, without an address, and nobody in it is inactive.
struct LocalUserDirectoryService: UserDirectoryService {
    private let database: any Database

    init(database: any Database) {
        self.database = database
    }

    /// A machine has few people: all are read, and the directory's own rule picks from them.
    func users(_ query: UserQuery) async throws -> UserPage {
        query.page(of: try await database.read { try $0.query(ProfileQueries.names, [], decode: Self.user) })
    }

    func user(_ id: String) async throws -> DirectoryUser {
        let user = try await database.read { connection in
            try connection.first(ProfileQueries.name, [.text(id)], decode: Self.user)
        }
        guard let user else { throw DirectoryError.notFound(id) }
        return user
    }

    private static func user(_ row: DatabaseRow) throws -> DirectoryUser {
        let profile = Profile(firstName: try row.value(1), lastName: try row.value(2))
        return DirectoryUser(
            id: try row.value(0), email: nil, displayName: profile.fullName, status: .active)
    }
}
