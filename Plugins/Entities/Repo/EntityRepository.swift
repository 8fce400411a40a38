import AtriumKit

/// The entities, and the rules for reading and changing them.
///
/// Where the service can't be asked, what is kept answers a read (see ``KeptEntities``); a change never goes
/// anywhere else.
@MainActor
final class EntityRepository {
    private let service: any EntityService
    private let kept: KeptEntities
    private let analytics: any Analytics
    private let clock: any WallClock

    /// - Parameters:
    ///   - service: Keeps the entities.
    ///   - copies: Keeps the last known copy of them.
    ///   - session: Whoever is signed in; what was read is dropped when that is somebody else, and the copy
    ///     of what was answered to one is kept from another.
    ///   - analytics: Told of every change, once and after it succeeded.
    ///   - clock: Tells how old a value is.
    ///   - logger: Told where no copy can be kept.
    init(
        service: any EntityService, copies: any EntityCopyService, session: SessionWriter,
        analytics: any Analytics, clock: any WallClock, logger: Logger
    ) {
        self.service = service
        self.analytics = analytics
        self.clock = clock
        kept = KeptEntities(
            service: service, copies: copies, session: session, clock: clock, logger: logger)
    }

    /// What the caches of pages and of entities did so far.
    var statistics: (pages: CacheStatistics, entities: CacheStatistics) { kept.statistics }
}

// MARK: - Reading

extension EntityRepository {
    /// One page of entities.
    ///
    /// - Parameters:
    ///   - query: Which page of which list.
    ///   - reloads: Whether the service is asked although a page is kept.
    /// - Returns: The page, and from when it is where the service can't be asked.
    /// - Throws: ``ValidationError`` where the query breaks a rule; ``EntityError``.
    func page(_ query: EntityQuery, reloads: Bool = false) async throws -> Stale<EntityPage> {
        try ValidationError.check(query.validate())
        return try await kept.page(query, reloads: reloads)
    }

    /// One entity.
    ///
    /// - Parameters:
    ///   - id: Which one.
    ///   - reloads: Whether the service is asked although the entity is kept.
    /// - Returns: The entity, and from when it is where the service can't be asked.
    /// - Throws: ``EntityError/notFound(_:cause:)`` and others.
    func entity(_ id: Int, reloads: Bool = false) async throws -> Stale<Entity> {
        try await kept.entity(id, reloads: reloads)
    }

    /// The categories that entities are in.
    ///
    /// - Returns: The categories, and from when they are where the service can't be asked.
    /// - Throws: ``ValidationError`` where the query breaks a rule; ``EntityError``.
    func categories(_ query: CategoryQuery) async throws -> Stale<CategoryList> {
        try ValidationError.check(query.validate())
        return try await kept.categories(query)
    }

    /// A category as it is written; found in any case.
    ///
    /// - Throws: ``EntityError/noCategory(_:nearest:)``.
    func category(named name: String, nearest: String? = nil) async throws -> String {
        let query = EntityQuery(size: 1, sort: .oldest, category: name)
        guard query.category != nil, query.validate().isEmpty,
            let found = try await page(query).value.rows.first?.category
        else { throw EntityError.noCategory(name, nearest: nearest) }
        return found
    }

    /// How many entities the service has now: neither what is kept nor a copy answers.
    ///
    /// - Throws: Why it can't be asked.
    func total() async throws -> Int {
        do {
            return try await service.page(EntityQuery()).total
        } catch {
            throw error.explained(as: .fetch)
        }
    }
}

// MARK: - Changing

extension EntityRepository {
    /// The entity that is shown for `draft` until the service has created one.
    func provisional(_ draft: EntityDraft, id: Int) -> Entity {
        let now = clock.now()
        return Entity(
            id: id, name: draft.name, category: draft.category, notes: draft.notes, createdAt: now,
            updatedAt: now)
    }

    /// Creates an entity.
    ///
    /// - Throws: ``ValidationError`` with every rule that the draft breaks; nothing is created.
    func create(_ draft: EntityDraft) async throws -> Entity {
        try ValidationError.check(draft.validate())
        let account = kept.account
        let entity = try await changing(.create) { try await $0.create(draft) }
        await kept.keep(entity, of: account)
        analytics.track(AnalyticsEvent("entityCreated"))
        return entity
    }

    /// Changes an entity.
    ///
    /// - Throws: ``EntityError/nothingToChange(_:)``, ``EntityError/notFound(_:cause:)``, or
    ///   ``ValidationError`` with every rule that the changes break; the entity stays as it is.
    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try check(id, changes)
        let account = kept.account
        let entity = try await changing(.update) { try await $0.update(id, changes) }
        await kept.keep(entity, of: account)
        analytics.track(AnalyticsEvent("entityUpdated"))
        return entity
    }

    /// Checks changes of an entity without making them.
    ///
    /// - Throws: ``EntityError/nothingToChange(_:)`` or ``ValidationError``.
    func check(_ id: Int, _ changes: EntityChanges) throws {
        guard !changes.isEmpty else { throw EntityError.nothingToChange(id) }
        try ValidationError.check(changes.validate())
    }

    /// Deletes an entity.
    ///
    /// - Returns: The entity as it was.
    /// - Throws: ``EntityError/notFound(_:cause:)``.
    func delete(_ id: Int) async throws -> Entity {
        let account = kept.account
        let entity = try await changing(.delete) { try await $0.delete(id) }
        await kept.forget(id, of: account)
        analytics.track(AnalyticsEvent("entityDeleted"))
        return entity
    }

    /// Creates an entity for each row of a file, or none at all.
    ///
    /// - Returns: How many were created.
    /// - Throws: ``EntityFileError``, or why the service did not create them.
    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        let count = try await changing(.importing) {
            try await $0.importEntities(from: file, progress: progress)
        }
        analytics.track(AnalyticsEvent("entitiesImported", ["count": "\(count)"]))
        return count
    }

    /// Writes every entity into a file.
    ///
    /// - Returns: How many were written.
    /// - Throws: ``EntityFileError``, or why the service could not be read.
    func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        do {
            let count = try await service.exportEntities(to: file, progress: progress)
            analytics.track(AnalyticsEvent("entitiesExported", ["count": "\(count)"]))
            return count
        } catch {
            throw error.explained(as: .exporting)
        }
    }

    /// Makes a change; what was kept is dropped once it is made, or where nobody can know whether it is.
    private func changing<Value: Sendable>(
        _ command: EntityCommand, _ change: (any EntityService) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await change(service)
            kept.invalidate()
            return value
        } catch {
            if error.mayHaveChanged { kept.invalidate() }
            throw error.explained(as: command)
        }
    }
}
