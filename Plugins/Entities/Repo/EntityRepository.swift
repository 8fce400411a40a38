import AtriumKit

/// The entities, and the rules for reading and changing them.
///
/// What was read is kept for five minutes, and dropped when something has changed, or somebody else is signed
/// in. Where the service can't be asked, the last known copy answers a read; a change never goes anywhere
/// else.
@MainActor
final class EntityRepository {
    private let service: any EntityService
    private let copies: any EntityCopyService
    private let session: SessionWriter
    private let analytics: any Analytics
    private let clock: any WallClock
    private let logger: Logger

    private var pages: Cache<EntityQuery, EntityPage>
    private var entities: Cache<Int, Entity>
    private var lists: Cache<CategoryQuery, CategoryList>
    /// Counts what made the kept values wrong; what was read across one of these is no copy of anything.
    private var drops = 0

    /// How long what was read is kept.
    static let lifetime = Duration.seconds(300)
    /// How many pages are kept; a page has at most 500 entities.
    private static let capacity = 100

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
        self.copies = copies
        self.session = session
        self.analytics = analytics
        self.clock = clock
        self.logger = logger
        pages = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        entities = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        lists = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        session.observe(self) { repository, change in
            if case .updated = change { return }
            repository.forgetEverything()
        }
    }

    /// What the caches of pages and of entities did so far, since the session last changed.
    var statistics: (pages: CacheStatistics, entities: CacheStatistics) {
        (pages.statistics, entities.statistics)
    }

    /// Whose answers are kept: the account that is signed in.
    private var account: String? { session.user?.id }

    /// Drops what was kept at once: what is being read for somebody else is not kept either.
    private func forgetEverything() {
        drops += 1
        pages = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        entities = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        lists = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
    }

    private func invalidate() {
        drops += 1
        pages.invalidateAll()
        entities.invalidateAll()
        lists.invalidateAll()
    }
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
    func page(_ query: EntityQuery, reloads: Bool = false) async throws -> Known<EntityPage> {
        try ValidationError.check(query.validate())
        return try await read(query, from: pages, reloads: reloads) {
            try await $0.page(query)
        } keeping: {
            try await $0.keep($1, of: $2, at: $3)
        } copy: {
            try await $0.page(query, of: $1)
        }
    }

    /// One entity.
    ///
    /// - Parameters:
    ///   - id: Which one.
    ///   - reloads: Whether the service is asked although the entity is kept.
    /// - Returns: The entity, and from when it is where the service can't be asked.
    /// - Throws: ``EntityError/notFound(_:cause:)`` and others.
    func entity(_ id: Int, reloads: Bool = false) async throws -> Known<Entity> {
        do {
            return try await read(id, from: entities, reloads: reloads) {
                try await $0.entity(id)
            } keeping: {
                try await $0.keep($1, of: $2, at: $3)
            } copy: {
                try await $0.entity(id, of: $1)
            }
        } catch let error as EntityError where error == .notFound(id) {
            try? await copies.forget(id, of: account)
            throw error
        }
    }

    /// The categories that entities are in.
    ///
    /// - Returns: The categories, and from when they are where the service can't be asked.
    /// - Throws: ``ValidationError`` where the query breaks a rule; ``EntityError``.
    func categories(_ query: CategoryQuery) async throws -> Known<CategoryList> {
        try ValidationError.check(query.validate())
        return try await read(query, from: lists) {
            try await $0.categories(query)
        } keeping: {
            try await $0.keep($1, for: query, of: $2, at: $3)
        } copy: {
            try await $0.categories(query, of: $1)
        }
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

    /// What the service answers; the last known copy of it where the service can't be asked.
    private func read<Key: Hashable & Sendable, Value: Sendable>(
        _ key: Key, from cache: Cache<Key, Value>, reloads: Bool = false,
        asking: @escaping @Sendable (any EntityService) async throws -> Value,
        keeping: @escaping @Sendable (any EntityCopyService, Value, String?, Timestamp) async throws -> Void,
        copy: (any EntityCopyService, String?) async throws -> (value: Value, asOf: Timestamp)?
    ) async throws -> Known<Value> {
        let (service, drops) = (service, drops)
        do {
            return Known(
                try await cache.value(key, reloads: reloads) {
                    let value = try await asking(service)
                    await self.keep(since: drops) { try await keeping($0, value, $1, $2) }
                    return value
                })
        } catch let error where error.isOffline {
            guard let known = try? await copy(copies, account) else { throw error.explained(as: .fetch) }
            return Known(known.value, asOf: known.asOf)
        } catch {
            throw error.explained(as: .fetch)
        }
    }

    /// Keeps a copy, unless something has changed since it was asked for.
    private func keep(
        since drops: Int,
        _ keep: @Sendable (any EntityCopyService, String?, Timestamp) async throws -> Void
    ) async {
        guard drops == self.drops else { return }
        let (account, now) = (account, clock.now())
        await keeping { try await keep($0, account, now) }
    }

    /// What can't be kept is not there when the service can't be asked, and nothing else.
    private func keeping(_ keep: (any EntityCopyService) async throws -> Void) async {
        do {
            try await keep(copies)
        } catch is CancellationError {
        } catch {
            logger.warning("No copy of what was read can be kept: \(LoadFailure(error).message)")
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
        let account = account
        let entity = try await changing(.create) { try await $0.create(draft) }
        await keeping { try await $0.keep(entity, of: account, at: clock.now()) }
        analytics.track(AnalyticsEvent("entityCreated"))
        return entity
    }

    /// Changes an entity.
    ///
    /// - Throws: ``EntityError/nothingToChange(_:)``, ``EntityError/notFound(_:cause:)``, or
    ///   ``ValidationError`` with every rule that the changes break; the entity stays as it is.
    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try check(id, changes)
        let account = account
        let entity = try await changing(.update) { try await $0.update(id, changes) }
        await keeping { try await $0.keep(entity, of: account, at: clock.now()) }
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
        let account = account
        let entity = try await changing(.delete) { try await $0.delete(id) }
        await keeping { try await $0.forget(id, of: account) }
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
            invalidate()
            return value
        } catch {
            if error.mayHaveChanged { invalidate() }
            throw error.explained(as: command)
        }
    }
}
