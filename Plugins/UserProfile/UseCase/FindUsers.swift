import AtriumKit

@MainActor
protocol FindUsers {
    /// A page of filtered users; stale if the directory can't be reached, empty after the end of the list.
    func callAsFunction(_ filter: UserFilter?, sort: UserSort, page: Int) async throws -> Stale<UserPage>
}

struct FindUsersInDirectory: FindUsers {
    let directory: UserDirectoryRepository

    func callAsFunction(
        _ filter: UserFilter?, sort: UserSort, page: Int
    ) async throws -> Stale<UserPage> {
        try await directory.users(UserQuery(filter: filter ?? .all, sort: sort, page: page))
    }
}
