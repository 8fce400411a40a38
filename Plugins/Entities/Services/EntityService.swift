/// Keeps entities.
protocol EntityService: Sendable {
    /// One page of the entities that a valid query asks for.
    func page(_ query: EntityQuery) async throws -> EntityPage

    /// One entity.
    ///
    /// - Throws: ``EntityError/notFound(_:cause:)``.
    func entity(_ id: Int) async throws -> Entity

    /// The categories that a valid query asks for.
    func categories(_ query: CategoryQuery) async throws -> CategoryList

    /// Creates an entity; it gets its id and its times.
    func create(_ draft: EntityDraft) async throws -> Entity

    /// Changes an entity.
    ///
    /// - Returns: The entity as it is then.
    /// - Throws: ``EntityError/notFound(_:cause:)``.
    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity

    /// Deletes an entity.
    ///
    /// - Returns: The entity as it was.
    /// - Throws: ``EntityError/notFound(_:cause:)``.
    func delete(_ id: Int) async throws -> Entity

    /// Creates an entity for each row of a file, or none at all: after a throw, and after a cancellation,
    /// everything is as it was.
    ///
    /// - Parameters:
    ///   - file: A regular file, which is read in parts.
    ///   - progress: Told how many rows are done, now and then and at the end; from any thread.
    /// - Returns: How many were created.
    /// - Throws: ``EntityFileError``, with a finding for each row that is wrong.
    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int

    /// Writes every entity into a file, in the order of their ids.
    ///
    /// The file is there only once it is whole, for its owner alone (mode 0600); one that is there before is
    /// replaced. After a throw, and after a cancellation, everything is as it was.
    ///
    /// - Parameters:
    ///   - file: A regular file, or one that is not there yet.
    ///   - progress: Told how many rows are done, now and then and at the end; from any thread.
    /// - Returns: How many were written.
    /// - Throws: ``EntityFileError``.
    func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int
}
