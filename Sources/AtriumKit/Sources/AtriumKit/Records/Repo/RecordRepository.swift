/// The records, and the rules for reading and changing them.
///
/// Every change is checked against the rules of the fields, then against the module's ``RecordRules``. Lists and
/// records that screens show are cached for five minutes; a change, also by another host, or another user's
/// session drops the cache. If the service can't be reached, a screen shows what was saved offline; a change
/// never does.
@MainActor
public final class RecordRepository<Item: Record> {
    let service: any RecordService<Item>
    let rules: RecordRules<Item>
    /// For each reference field, a check that a record with an id exists.
    let existence: [String: @MainActor (RecordKey) async throws -> Bool]
    /// Each throws if others refer to a record, which then must not be deleted.
    let referrers: [RecordReferences.Referrer]
    let offline: RecordOfflineStore<Item>
    private let session: SessionWriter?
    let analytics: (any Analytics)?
    let clock: any WallClock

    private let pages: Cache<RecordQuery<Item>, RecordPage<Item>>
    private let records: Cache<Item.ID, Item>
    private let lists: Cache<RecordValuesQuery, RecordValues>
    /// The number of changes; a read during which it grew is not saved.
    private var changeCount = 0
    /// Shared by the records of a module that refer to each other; nil if nothing is checked before a change.
    let turns: ChangeTurns?
    /// Notified after each change, made here or by another host; the caches are dropped first.
    public let changes = ObserverList<DataChange>()
    /// Notified after the changes that no model made: by other hosts, and by calls of this repository.
    let outsideChanges = ObserverList<DataChange>()
    /// Notified after another user has signed in, or the user has signed out.
    let userChanges = ObserverList<SessionChange>()

    static var lifetime: Duration { .seconds(300) }
    /// The maximum number of pages kept; a page has at most 500 records.
    private static var capacity: Int { 100 }

    /// Creates a repository; `announced` are the changes of all hosts.
    public convenience init(
        service: any RecordService<Item>, rules: RecordRules<Item> = RecordRules(), clock: any WallClock,
        announced: ObserverList<DataChange> = ObserverList()
    ) {
        self.init(
            service: service, rules: rules, offline: RecordOfflineStore(.none), session: nil, analytics: nil,
            clock: clock,
            announced: announced)
    }

    init(
        service: any RecordService<Item>, rules: RecordRules<Item> = RecordRules(),
        existence: [String: @MainActor (RecordKey) async throws -> Bool] = [:],
        referrers: [RecordReferences.Referrer] = [], turns: ChangeTurns? = nil,
        offline: RecordOfflineStore<Item>,
        session: SessionWriter?, analytics: (any Analytics)?, clock: any WallClock,
        announced: ObserverList<DataChange> = ObserverList()
    ) {
        self.service = service
        self.rules = rules
        self.existence = existence
        self.referrers = referrers
        self.turns = turns ?? (rules.isEmpty ? nil : ChangeTurns())
        self.offline = offline
        self.session = session
        self.analytics = analytics
        self.clock = clock
        pages = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        records = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        lists = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        // Local writes have already invalidated the cache.
        announced.add(self) { repository, change in
            // Records that users can't change are changed by other code of the module.
            guard !change.isOwn || Item.isReadOnly else { return }
            repository.invalidate()
            repository.send(change, isByModel: false)
        }
        session?.observe(self) { repository, change in
            if case .updated = change { return }
            repository.invalidate()
            repository.userChanges.send(change)
        }
    }

    var caches: [(name: String, kept: Int, statistics: CacheStatistics)] {
        [
            ("pages", pages.count, pages.statistics),
            (Item.fields.noun.plural, records.count, records.statistics),
            ("values", lists.count, lists.statistics),
        ]
    }

    var account: String? { session?.user?.id }

    /// True if nothing has changed since, and the account of the data, in one turn.
    private func state(since changes: Int) -> (isCurrent: Bool, account: String?) {
        (changeCount == changes, account)
    }

    func invalidate() {
        changeCount += 1
        pages.invalidateAll()
        records.invalidateAll()
        lists.invalidateAll()
    }
}

// MARK: - Reading

extension RecordRepository {
    /// Returns a page of a list from the service.
    public func page(_ query: RecordQuery<Item>) async throws -> RecordPage<Item> {
        try query.check()
        return try await explaining { try await service.page(query) }
    }

    /// Returns all records of a list from the service.
    public func all(_ query: RecordQuery<Item>) async throws -> [Item] {
        try query.check()
        return try await explaining { try await service.all(query) }
    }

    /// Returns a record from the service.
    public func record(_ id: Item.ID) async throws -> Item {
        try await explaining { try await service.record(id) }
    }

    /// A page of a list for a screen: cached, or saved if the service can't be reached.
    func shown(
        _ query: RecordQuery<Item>, after last: Item? = nil, reloads: Bool = false
    ) async throws -> Stale<RecordPage<Item>> {
        try query.check()
        return try await read(query, from: pages, reloads: reloads) {
            try await $0.page(query, after: last)
        } save: {
            await $0.save($1, for: query, account: $2)
        } saved: {
            await $0.page(query, account: $1)
        }
    }

    /// A record for a screen: cached, or saved if the service can't be reached.
    func shown(_ id: Item.ID, reloads: Bool = false) async throws -> Stale<Item> {
        do {
            return try await read(id, from: records, reloads: reloads) {
                try await $0.record(id)
            } save: {
                await $0.save($1, account: $2)
            } saved: {
                await $0.record(id, account: $1)
            }
        } catch let error as ServiceError where error.code == .notFound {
            await offline.remove(id, account: account)
            throw error
        }
    }

    /// The values of a filtered field for a screen: cached, or saved if the service can't be reached.
    func shown(_ query: RecordValuesQuery) async throws -> Stale<RecordValues> {
        try query.check(Item.self)
        return try await read(query, from: lists) {
            try await $0.values(query)
        } save: {
            await $0.save($1, for: query, account: $2)
        } saved: {
            await $0.values(query, account: $1)
        }
    }

    /// The stored spelling of a value; matched in any case.
    func spelling(of text: String, in field: RecordField<Item>, nearest: String? = nil) async throws -> String
    {
        var query = RecordQuery<Item>.everything
        (query.size, query.filters) = (1, [field.name: text.trimmed])
        guard text.trimmed.nilIfEmpty != nil, (try? query.check()) != nil,
            let found = try await shown(query).value.rows.first.flatMap(field.text)
        else {
            throw ServiceError(
                .notFound,
                "No \(Item.fields.noun.singular) has the \(field.label.lowercased()) '\(text.excerpt)'.",
                hint: nearest.map { "Did you mean '\($0)'?" })
        }
        return found
    }

    /// The record as a screen has it; nil if none has read it lately.
    func cached(_ id: Item.ID) -> Item? { records.cached(id) }

    /// The number of records at the service now, if it knows; neither a cache nor the offline store answers.
    func total() async throws -> Int? {
        var query = RecordQuery<Item>()
        query.size = 1
        let page = try await page(query)
        return page.isTotalKnown ? page.total : nil
    }

    /// Returns the cached value, or the service's answer, which it saves; offline, the saved one.
    private func read<Key: Hashable & Sendable, Value: Sendable>(
        _ key: Key, from cache: Cache<Key, Value>, reloads: Bool = false,
        ask: @escaping @Sendable (any RecordService<Item>) async throws -> Value,
        save: @escaping @Sendable (RecordOfflineStore<Item>, Value, String?) async -> Void,
        saved: (RecordOfflineStore<Item>, String?) async -> Stale<Value>?
    ) async throws -> Stale<Value> {
        let (service, changes) = (service, changeCount)
        do {
            return Stale(
                try await cache.value(key, reloads: reloads) {
                    let (value, mayStore) = try await StorageConsent.asking { try await ask(service) }
                    if mayStore, case let (true, account) = await self.state(since: changes) {
                        await save(self.offline, value, account)
                    }
                    return value
                })
        } catch {
            if error.isOffline, let saved = await saved(offline, account) { return saved }
            throw error.explained(as: .fetch, of: Item.self)
        }
    }

    private func explaining<Value>(_ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch { throw error.explained(as: .fetch, of: Item.self) }
    }
}
