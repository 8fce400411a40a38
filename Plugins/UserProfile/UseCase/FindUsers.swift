import AtriumKit

@MainActor
protocol FindUsers {
    /// The users with a text in name or address and with a status, by name; nil excludes none.
    func callAsFunction(_ search: String?, status: UserStatus?) async throws -> [DirectoryUser]
}

struct FindUsersInDirectory: FindUsers {
    let directory: RecordRepository<DirectoryUser>

    func callAsFunction(_ search: String?, status: UserStatus?) async throws -> [DirectoryUser] {
        var query = RecordQuery<DirectoryUser>()
        query.search = search?.trimmed.nilIfEmpty
        query.filters["status"] = status?.rawValue
        return try await directory.all(query)
    }
}
