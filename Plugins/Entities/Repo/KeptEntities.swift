import AtriumKit

/// What was read of the entities: in memory for five minutes, and as the last known copy.
///
/// What is in memory is dropped when something has changed, or somebody else is signed in. The copy answers
/// where the service can't be asked, and only whom it was answered to.
@MainActor
final class KeptEntities {
    private let service: any EntityService
    private let copies: any EntityCopyService
    private let session: SessionWriter
    private let clock: any WallClock
    private let logger: Logger

    private let pages: Cache<EntityQuery, EntityPage>
    private let entities: Cache<Int, Entity>
    private let lists: Cache<CategoryQuery, CategoryList>
    /// Counts what made the kept values wrong; what was read across one of these is no copy of anything.
    private var drops = 0

    /// How long what was read is kept.
    static let lifetime = Duration.seconds(300)
    /// How many pages are kept; a page has at most 500 entities.
    private static let capacity = 100

    /// - Parameters:
    ///   - service: Is asked for what is not kept.
    ///   - copies: Keeps the last known copy of it.
    ///   - session: Whoever is signed in.
    ///   - clock: Tells how old a value is.
    ///   - logger: Told where no copy can be kept.
    init(
        service: any EntityService, copies: any EntityCopyService, session: SessionWriter,
        clock: any WallClock, logger: Logger
    ) {
        self.service = service
        self.copies = copies
        self.session = session
        self.clock = clock
        self.logger = logger
        pages = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        entities = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        lists = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        session.observe(self) { kept, change in
            if case .updated = change { return }
            kept.invalidate()
        }
    }

    /// What the caches of pages and of entities did so far.
    var statistics: (pages: CacheStatistics, entities: CacheStatistics) {
        (pages.statistics, entities.statistics)
    }

    /// Whose answers are kept: the account that is signed in.
    var account: String? { session.user?.id }

    /// Drops what is in memory, as something has changed, or is somebody else's; what is being read is not kept
    /// either.
    func invalidate() {
        drops += 1
        pages.invalidateAll()
        entities.invalidateAll()
        lists.invalidateAll()
    }
}

// MARK: - Reading

extension KeptEntities {
    /// One page of entities.
    func page(_ query: EntityQuery, reloads: Bool) async throws -> Stale<EntityPage> {
        try await read(query, from: pages, reloads: reloads) {
            try await $0.page(query)
        } keeping: {
            try await $0.keep($1, of: $2, at: $3)
        } copy: {
            try await $0.page(query, of: $1)
        }
    }

    /// One entity; the copy of one that the service has no longer is dropped.
    func entity(_ id: Int, reloads: Bool) async throws -> Stale<Entity> {
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

    /// Some of the categories.
    func categories(_ query: CategoryQuery) async throws -> Stale<CategoryList> {
        try await read(query, from: lists) {
            try await $0.categories(query)
        } keeping: {
            try await $0.keep($1, for: query, of: $2, at: $3)
        } copy: {
            try await $0.categories(query, of: $1)
        }
    }

    /// What the service answers; the last known copy of it where the service can't be asked.
    private func read<Key: Hashable & Sendable, Value: Sendable>(
        _ key: Key, from cache: Cache<Key, Value>, reloads: Bool = false,
        asking: @escaping @Sendable (any EntityService) async throws -> Value,
        keeping: @escaping @Sendable (any EntityCopyService, Value, String?, Timestamp) async throws -> Void,
        copy: (any EntityCopyService, String?) async throws -> (value: Value, asOf: Timestamp)?
    ) async throws -> Stale<Value> {
        let (service, drops) = (service, drops)
        do {
            return Stale(
                try await cache.value(key, reloads: reloads) {
                    let value = try await asking(service)
                    await self.keep(since: drops) { try await keeping($0, value, $1, $2) }
                    return value
                })
        } catch let error where error.isOffline {
            guard let known = try? await copy(copies, account) else { throw error.explained(as: .fetch) }
            return Stale(known.value, asOf: known.asOf)
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

// MARK: - After a change

extension KeptEntities {
    /// Keeps a copy of an entity that the service answered to `account` just now.
    func keep(_ entity: Entity, of account: String?) async {
        let now = clock.now()
        await keeping { try await $0.keep(entity, of: account, at: now) }
    }

    /// Drops the copy of an entity that was deleted on behalf of `account`.
    func forget(_ id: Int, of account: String?) async {
        await keeping { try await $0.forget(id, of: account) }
    }
}
