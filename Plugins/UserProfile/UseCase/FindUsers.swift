import AtriumKit

/// Finds people in the user directory.
@MainActor
protocol FindUsers {
    /// A page of the people who pass a filter, sorted by name.
    ///
    /// - Parameters:
    ///   - filter: Who is listed; everybody if nil.
    ///   - sort: The order.
    ///   - page: Which page, from 1.
    /// - Returns: The page; stale if the directory can't be reached, empty after the end of the list.
    /// - Throws: ``DirectoryError`` if the filter or the page breaks a rule; the service's failure.
    func callAsFunction(_ filter: UserFilter?, sort: UserSort, page: Int) async throws -> Stale<UserPage>
}

/// Finds people through the repository of the directory.
struct FindUsersInDirectory: FindUsers {
    private let directory: UserDirectoryRepository

    init(directory: UserDirectoryRepository) {
        self.directory = directory
    }

    func callAsFunction(
        _ filter: UserFilter?, sort: UserSort, page: Int
    ) async throws -> Stale<UserPage> {
        try await directory.users(UserQuery(filter: filter ?? .all, sort: sort, page: page))
    }
}
