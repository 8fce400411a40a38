protocol EntityService: Sendable {
    func page(_ query: EntityQuery) async throws -> EntityPage

    /// A page that follows the entity `last`, if it is known: some services find it faster with it.
    func page(_ query: EntityQuery, after last: Entity?) async throws -> EntityPage

    func entity(_ id: Int) async throws -> Entity

    func categories(_ query: CategoryQuery) async throws -> CategoryList

    /// Creates an entity; the service assigns its id and its times.
    func create(_ draft: EntityDraft) async throws -> Entity

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity

    /// - Throws: ``ServiceError/notFound(_:cause:)``.
    func delete(_ id: Int) async throws -> Entity

    /// Deletes every entity that passes the filter of a list, or none.
    ///
    /// Calls `progress` as an import does.
    ///
    /// - Returns: The number deleted; nil if this service can only delete one entity at a time.
    func deleteAll(_ query: EntityQuery, progress: @escaping @Sendable (Int) -> Void) async throws -> Int?

    /// Creates an entity for each row of a file, or none after a failure or a cancellation.
    ///
    /// Calls `progress` with the number of rows done, from time to time and at the end, on any thread.
    ///
    /// - Returns: The number created.
    /// - Throws: ``ValidationError`` with a finding for each invalid row; ``FileError``.
    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int

    /// Writes every entity to an atomic file, in the order of their ids, with progress as for an import.
    ///
    /// - Returns: The number written.
    /// - Throws: ``FileError``.
    func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int
}

extension EntityService {
    func page(_ query: EntityQuery, after last: Entity?) async throws -> EntityPage { try await page(query) }

    func deleteAll(_ query: EntityQuery, progress: @escaping @Sendable (Int) -> Void) async throws -> Int? {
        nil
    }
}
