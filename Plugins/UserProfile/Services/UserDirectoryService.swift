import AtriumKit

protocol UserDirectoryService: Sendable {
    /// A page of users; empty after the end of the list.
    func users(_ query: UserQuery) async throws -> UserPage

    func user(_ id: String) async throws -> DirectoryUser
}

struct LiveUserDirectoryService: UserDirectoryService {
    let api: any APIClient

    func users(_ query: UserQuery) async throws -> UserPage {
        try await ServiceError.explaining("The users could not be listed") {
            try await api.request(.users(query)).userPage
        }
    }

    func user(_ id: String) async throws -> DirectoryUser {
        try await ServiceError.explaining("The user '\(id.excerpt)' could not be read") {
            do {
                return try await api.request(.user(id)).user
            } catch let error as APIError where error.isNotFound {
                throw ServiceError.notFound(id)
            }
        }
    }
}

/// Lists the users of this machine who have submitted a profile.
///
/// Accounts and their addresses are in the Session module's database, so users have no address here, and all
/// are active.
struct LocalUserDirectoryService: UserDirectoryService {
    let database: any Database

    /// A machine has few users: all are read, then filtered.
    func users(_ query: UserQuery) async throws -> UserPage {
        query.page(of: try await database.read { try $0.query(ProfileQueries.names, [], decode: Self.user) })
    }

    func user(_ id: String) async throws -> DirectoryUser {
        let user = try await database.read { connection in
            try connection.first(ProfileQueries.name, [.text(id)], decode: Self.user)
        }
        guard let user else { throw ServiceError.notFound(id) }
        return user
    }

    private static func user(_ row: DatabaseRow) throws -> DirectoryUser {
        let profile = Profile(firstName: try row.value(1), lastName: try row.value(2))
        return DirectoryUser(
            id: try row.value(0), email: nil, displayName: profile.fullName, status: .active)
    }
}
