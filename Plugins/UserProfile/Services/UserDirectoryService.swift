/// Knows which people there are.
protocol UserDirectoryService: Sendable {
    /// A page of the people that a query asks for; empty past the end of the list.
    func users(_ query: UserQuery) async throws -> UserPage

    /// One of them.
    ///
    /// - Throws: ``DirectoryError/notFound(_:)``.
    func user(_ id: String) async throws -> DirectoryUser
}
