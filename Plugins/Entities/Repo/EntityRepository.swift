import AtriumKit

/// The entities, and the rules for reading and changing them.
///
/// Reads are cached for five minutes; a change, also by another host, or another user's session drops the
/// cache. If the service can't be reached, a read falls back to the offline store; a change never does.
@MainActor
final class EntityRepository {
    private let service: any EntityService
    private let offline: any EntityOfflineStore
    private let session: SessionWriter
    private let analytics: any Analytics
    private let clock: any WallClock

    private let pages: Cache<EntityQuery, EntityPage>
    private let entities: Cache<Int, Entity>
    private let lists: Cache<CategoryQuery, CategoryList>
    /// The number of changes; a read during which it grew is not saved.
    private var changes = 0
    /// Receives the changes of all hosts; the caches here are dropped first.
    let announced: ObserverList<DataChange>
    static let lifetime = Duration.seconds(300)
    /// The maximum number of pages kept; a page has at most 500 entities.
    private static let capacity = 100

    init(
        service: any EntityService, offline: any EntityOfflineStore, session: SessionWriter,
        analytics: any Analytics, clock: any WallClock, announced: ObserverList<DataChange> = ObserverList()
    ) {
        self.service = service
        self.offline = offline
        self.session = session
        self.analytics = analytics
        self.clock = clock
        self.announced = announced
        pages = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        entities = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        lists = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        // Local writes have already invalidated the cache.
        announced.add(self) { if !$1.isOwn { $0.invalidate() } }
        session.observe(self) { repository, change in
            if case .updated = change { return }
            repository.invalidate()
        }
    }

    var caches: [(name: String, kept: Int, statistics: CacheStatistics)] {
        [
            ("pages", pages.count, pages.statistics), ("entities", entities.count, entities.statistics),
            ("categories", lists.count, lists.statistics),
        ]
    }

    private var account: String? { session.user?.id }

    /// True if nothing has changed since, and the account of the data, in one turn.
    private func state(since changes: Int) -> (isCurrent: Bool, account: String?) {
        (self.changes == changes, account)
    }

    private func invalidate() {
        changes += 1
        pages.invalidateAll()
        entities.invalidateAll()
        lists.invalidateAll()
    }
}

// MARK: - Reading

extension EntityRepository {
    func page(
        _ query: EntityQuery, after last: Entity? = nil, reloads: Bool = false
    ) async throws -> Stale<EntityPage> {
        try ValidationError.check(query.validate())
        return try await read(query, from: pages, reloads: reloads) {
            try await $0.page(query, after: last)
        } save: {
            await $0.save($1, account: $2)
        } saved: {
            await $0.page(query, account: $1)
        }
    }

    func entity(_ id: Int, reloads: Bool = false) async throws -> Stale<Entity> {
        do {
            return try await read(id, from: entities, reloads: reloads) {
                try await $0.entity(id)
            } save: {
                await $0.save($1, account: $2)
            } saved: {
                await $0.entity(id, account: $1)
            }
        } catch let error as ServiceError where error == .notFound(id) {
            await offline.remove(id, account: account)
            throw error
        }
    }

    func categories(_ query: CategoryQuery) async throws -> Stale<CategoryList> {
        try ValidationError.check(query.validate())
        return try await read(query, from: lists) {
            try await $0.categories(query)
        } save: {
            await $0.save($1, for: query, account: $2)
        } saved: {
            await $0.categories(query, account: $1)
        }
    }

    /// The stored spelling of a category; matched in any case.
    func category(named name: String, nearest: String? = nil) async throws -> String {
        let query = EntityQuery(size: 1, sort: .oldest, category: name)
        guard query.category != nil, query.validate().isEmpty,
            let found = try await page(query).value.rows.first?.category
        else { throw ServiceError.noCategory(name, nearest: nearest) }
        return found
    }

    /// The number of entities at the service now; neither a cache nor the offline store answers.
    func total() async throws -> Int {
        do {
            return try await service.page(EntityQuery()).total
        } catch {
            throw error.explained(as: .fetch)
        }
    }

    /// Returns the cached value, or the service's answer, which it saves; offline, the saved one.
    private func read<Key: Hashable & Sendable, Value: Sendable>(
        _ key: Key, from cache: Cache<Key, Value>, reloads: Bool = false,
        ask: @escaping @Sendable (any EntityService) async throws -> Value,
        save: @escaping @Sendable (any EntityOfflineStore, Value, String?) async -> Void,
        saved: (any EntityOfflineStore, String?) async -> Stale<Value>?
    ) async throws -> Stale<Value> {
        let (service, changes) = (service, changes)
        do {
            return Stale(
                try await cache.value(key, reloads: reloads) {
                    let value = try await ask(service)
                    if case let (true, account) = await self.state(since: changes) {
                        await save(self.offline, value, account)
                    }
                    return value
                })
        } catch {
            if error.isOffline, let saved = await saved(offline, account) { return saved }
            throw error.explained(as: .fetch)
        }
    }
}

// MARK: - Changing

extension EntityRepository {
    func provisional(_ draft: EntityDraft, id: Int) -> Entity {
        draft.entity(id: id, at: clock.now())
    }

    func create(_ draft: EntityDraft) async throws -> Entity {
        try ValidationError.check(draft.validate())
        let account = account
        let entity = try await changing(.create) { try await $0.create(draft) }
        await offline.save(entity, account: account)
        analytics.track(AnalyticsEvent("entityCreated"))
        return entity
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try check(id, changes)
        let account = account
        let entity = try await changing(.update) { try await $0.update(id, changes) }
        await offline.save(entity, account: account)
        analytics.track(AnalyticsEvent("entityUpdated"))
        return entity
    }

    func check(_ id: Int, _ changes: EntityChanges) throws {
        guard !changes.isEmpty else { throw ServiceError.nothingToChange(id) }
        try ValidationError.check(changes.validate())
    }

    func delete(_ id: Int) async throws -> Entity {
        let account = account
        let entity = try await changing(.delete) { try await $0.delete(id) }
        await offline.remove(id, account: account)
        analytics.track(AnalyticsEvent("entityDeleted"))
        return entity
    }

    /// Deletes every entity that passes the filter of a list, or none.
    ///
    /// - Returns: The number deleted; nil if the service can only delete one entity at a time.
    func deleteAll(_ query: EntityQuery, progress: @escaping @Sendable (Int) -> Void) async throws -> Int? {
        guard
            let count = try await changing(.deleteAll, { try await $0.deleteAll(query, progress: progress) })
        else { return nil }
        analytics.track(AnalyticsEvent("entitiesDeleted", ["count": "\(count)"]))
        return count
    }

    /// Creates an entity for each row of a file, or none.
    ///
    /// - Returns: The number created.
    /// - Throws: ``ValidationError`` with the mistakes of the file, ``FileError``, or the service's failure.
    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        let count = try await changing(.importing) {
            try await $0.importEntities(from: file, progress: progress)
        }
        analytics.track(AnalyticsEvent("entitiesImported", ["count": "\(count)"]))
        return count
    }

    func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        do {
            let count = try await service.exportEntities(to: file, progress: progress)
            analytics.track(AnalyticsEvent("entitiesExported", ["count": "\(count)"]))
            return count
        } catch let error as FileError where error.code == .fileExists {
            throw ServiceError.fileExists(file.path, cause: error)
        } catch {
            throw error.explained(as: .exporting)
        }
    }

    /// Makes a change; empties the caches once it is made, or if its outcome is unknown.
    private func changing<Value: Sendable>(
        _ command: EntityCommand, _ change: (any EntityService) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await change(service)
            invalidate()
            return value
        } catch {
            if error.mayHaveChanged { invalidate() }
            throw error.explained(as: command)
        }
    }
}
