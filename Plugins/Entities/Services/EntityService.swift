protocol EntityService: Sendable {
    func page(_ query: EntityQuery) async throws -> EntityPage

    /// A page that follows an entity of the page before, if that is known: some services find it faster then.
    func page(_ query: EntityQuery, after last: Entity?) async throws -> EntityPage

    func entity(_ id: Int) async throws -> Entity

    func categories(_ query: CategoryQuery) async throws -> CategoryList

    /// Creates an entity, which gets its id and its times.
    func create(_ draft: EntityDraft) async throws -> Entity

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity

    /// - Throws: ``EntityError/notFound(_:cause:)``.
    func delete(_ id: Int) async throws -> Entity

    /// Deletes every entity that passes the filter of a list, or none at all.
    ///
    /// Calls `progress` as an import does.
    ///
    /// - Returns: How many were deleted; nil if this service can only delete one entity at a time.
    func deleteAll(_ query: EntityQuery, progress: @escaping @Sendable (Int) -> Void) async throws -> Int?

    /// Creates an entity for each row of a file, or none at all: after a failure or a cancellation everything
    /// is as it was.
    ///
    /// Calls `progress` with the number of rows that are done, now and then and at the end, on any thread.
    ///
    /// - Returns: How many were created.
    /// - Throws: ``ValidationError`` with a finding for each row that is wrong; ``FileError``.
    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int

    /// Writes every entity into an atomic file, in the order of their ids, with progress as an import.
    ///
    /// - Returns: How many were written.
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
