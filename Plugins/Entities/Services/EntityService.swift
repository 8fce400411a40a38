/// Keeps entities.
protocol EntityService: Sendable {
    /// One page of the entities that a valid query asks for.
    func page(_ query: EntityQuery) async throws -> EntityPage

    /// One entity.
    ///
    /// - Throws: ``EntityError/notFound(_:)``.
    func entity(_ id: Int) async throws -> Entity

    /// The categories that a valid query asks for.
    func categories(_ query: CategoryQuery) async throws -> CategoryList

    /// Creates an entity; it gets its id and its times.
    func create(_ draft: EntityDraft) async throws -> Entity

    /// Changes an entity.
    ///
    /// - Returns: The entity as it is then.
    /// - Throws: ``EntityError/notFound(_:)``.
    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity

    /// Deletes an entity.
    ///
    /// - Returns: The entity as it was.
    /// - Throws: ``EntityError/notFound(_:)``.
    func delete(_ id: Int) async throws -> Entity
}
