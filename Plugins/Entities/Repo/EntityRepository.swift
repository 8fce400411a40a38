import AtriumKit

/// The entities, and the rules for changing them.
@MainActor
final class EntityRepository {
    private let entities: any EntityService
    private let analytics: any Analytics

    init(entities: any EntityService, analytics: any Analytics) {
        self.entities = entities
        self.analytics = analytics
    }

    /// One page of entities.
    ///
    /// - Throws: ``ValidationError`` where the query breaks a rule.
    func page(_ query: EntityQuery) async throws -> EntityPage {
        try ValidationError.check(query.validate())
        return try await entities.page(query)
    }

    /// The categories that entities are in.
    ///
    /// - Throws: ``ValidationError`` where the query breaks a rule.
    func categories(_ query: CategoryQuery) async throws -> CategoryList {
        try ValidationError.check(query.validate())
        return try await entities.categories(query)
    }

    /// A category as it is written; found in any case.
    ///
    /// - Throws: ``EntityError/noCategory(_:nearest:)``.
    func category(named name: String, nearest: String? = nil) async throws -> String {
        let query = EntityQuery(size: 1, sort: .oldest, category: name)
        guard query.category != nil, query.validate().isEmpty,
            let found = try await entities.page(query).rows.first?.category
        else { throw EntityError.noCategory(name, nearest: nearest) }
        return found
    }

    /// One entity.
    ///
    /// - Throws: ``EntityError/notFound(_:)``.
    func entity(_ id: Int) async throws -> Entity {
        try await entities.entity(id)
    }

    /// Creates an entity.
    ///
    /// - Throws: ``ValidationError`` with every rule that the draft breaks; nothing is created.
    func create(_ draft: EntityDraft) async throws -> Entity {
        try ValidationError.check(draft.validate())
        let entity = try await entities.create(draft)
        analytics.track(AnalyticsEvent("entityCreated"))
        return entity
    }

    /// Changes an entity.
    ///
    /// - Throws: ``EntityError/nothingToChange(_:)``, ``EntityError/notFound(_:)``, or ``ValidationError``
    ///   with every rule that the changes break; the entity stays as it is.
    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        guard !changes.isEmpty else { throw EntityError.nothingToChange(id) }
        try ValidationError.check(changes.validate())
        let entity = try await entities.update(id, changes)
        analytics.track(AnalyticsEvent("entityUpdated"))
        return entity
    }

    /// Deletes an entity.
    ///
    /// - Returns: The entity as it was.
    /// - Throws: ``EntityError/notFound(_:)``.
    func delete(_ id: Int) async throws -> Entity {
        let entity = try await entities.delete(id)
        analytics.track(AnalyticsEvent("entityDeleted"))
        return entity
    }
}
