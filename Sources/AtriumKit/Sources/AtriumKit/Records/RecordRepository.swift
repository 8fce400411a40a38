/// The records, and the rules for reading and changing them.
///
/// Every change is checked against the rules of the fields, then against the module's ``RecordRules``. Lists and
/// records that screens show are cached for five minutes; a change, also by another host, or another user's
/// session drops the cache. If the service can't be reached, a screen shows what was saved offline; a change
/// never does.
@MainActor
public final class RecordRepository<Item: Record> {
    let service: any RecordService<Item>
    private let rules: RecordRules<Item>
    private let offline: RecordOfflineStore<Item>
    private let session: SessionWriter?
    private let analytics: (any Analytics)?
    private let clock: any WallClock

    private let pages: Cache<RecordQuery<Item>, RecordPage<Item>>
    private let records: Cache<Int, Item>
    private let lists: Cache<RecordValuesQuery, RecordValues>
    /// The number of changes; a read during which it grew is not saved.
    private var changeCount = 0
    private var isChanging = false
    /// The changes that wait for their turn, in order.
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Notified after each change, made here or by another host; the caches are dropped first.
    public let changes = ObserverList<DataChange>()
    /// Notified after the changes that no model made: by other hosts, and by calls of this repository.
    let outsideChanges = ObserverList<DataChange>()

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
        offline: RecordOfflineStore<Item>,
        session: SessionWriter?, analytics: (any Analytics)?, clock: any WallClock,
        announced: ObserverList<DataChange> = ObserverList()
    ) {
        self.service = service
        self.rules = rules
        self.offline = offline
        self.session = session
        self.analytics = analytics
        self.clock = clock
        pages = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        records = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        lists = Cache(lifetime: Self.lifetime, capacity: Self.capacity, clock: clock)
        // Local writes have already invalidated the cache.
        announced.add(self) { repository, change in
            guard !change.isOwn else { return }
            repository.invalidate()
            repository.send(change, isByModel: false)
        }
        session?.observe(self) { repository, change in
            if case .updated = change { return }
            repository.invalidate()
        }
    }

    var caches: [(name: String, kept: Int, statistics: CacheStatistics)] {
        [
            ("pages", pages.count, pages.statistics),
            (Item.fields.noun.plural, records.count, records.statistics),
            ("values", lists.count, lists.statistics),
        ]
    }

    private var account: String? { session?.user?.id }

    /// True if nothing has changed since, and the account of the data, in one turn.
    private func state(since changes: Int) -> (isCurrent: Bool, account: String?) {
        (changeCount == changes, account)
    }

    private func invalidate() {
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
        return try await explaining(.fetch) { try await service.page(query) }
    }

    /// Returns all records of a list from the service.
    public func all(_ query: RecordQuery<Item>) async throws -> [Item] {
        try query.check()
        return try await explaining(.fetch) { try await service.all(query) }
    }

    /// Returns a record from the service.
    public func record(_ id: Int) async throws -> Item {
        try await explaining(.fetch) { try await service.record(id) }
    }

    /// Returns the values of a filtered field, each once, in order.
    public func values(of field: String) async throws -> [String] {
        try await shown(RecordValuesQuery(field: field, limit: RecordValuesQuery.limits.upperBound))
            .value.rows.map(\.name)
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
    func shown(_ id: Int, reloads: Bool = false) async throws -> Stale<Item> {
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

    /// The number of records at the service now; neither a cache nor the offline store answers.
    func total() async throws -> Int { try await page(RecordQuery()).total }

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
                    let value = try await ask(service)
                    if case let (true, account) = await self.state(since: changes) {
                        await save(self.offline, value, account)
                    }
                    return value
                })
        } catch {
            if error.isOffline, let saved = await saved(offline, account) { return saved }
            throw error.explained(as: .fetch, of: Item.self)
        }
    }

    private func explaining<Value>(
        _ command: RecordCommand, _ work: () async throws -> Value
    ) async throws -> Value {
        do { return try await work() } catch { throw error.explained(as: command, of: Item.self) }
    }
}

// MARK: - Changing

extension RecordRepository {
    /// A record to be created, as it is shown until the service has answered.
    func provisional(_ record: Item, id: Int) -> Item {
        var record = record.stamped(at: clock.now(), isNew: true)
        record.id = id
        return record
    }

    /// Stores a new record, after its rules.
    public func create(_ record: Item) async throws -> Item { try await create(record, isByModel: false) }

    func create(_ record: Item, isByModel: Bool) async throws -> Item {
        var record = record
        try ValidationError.check(record.validateInput())
        await begin()
        defer { end() }
        let account = account
        try await rules.beforeCreate?(&record)
        let created = try await changing(.create, isByModel, { "\($0.id)" }) {
            try await $0.create(record)
        }
        await offline.save(created, account: account)
        track("Created")
        return created
    }

    /// Stores the fields in which `record` differs from `base`, after the rules.
    public func update(_ record: Item, from base: Item) async throws -> Item {
        let changes = RecordChanges(to: record, from: base)
        return changes.isEmpty ? base : try await update(base.id, changes)
    }

    /// Stores new values of some fields, after the rules.
    public func update(_ id: Int, _ changes: RecordChanges<Item>) async throws -> Item {
        try await update(id, changes, isByModel: false)
    }

    func update(_ id: Int, _ changes: RecordChanges<Item>, isByModel: Bool) async throws -> Item {
        try check(id, changes)
        await begin()
        defer { end() }
        let account = account
        var changes = changes
        if let beforeUpdate = rules.beforeUpdate {
            // Rules judge the record as it is stored, not as a form has read it.
            let present = try await record(id)
            var changed = try changes.checkedAndApplied(to: present)
            try await beforeUpdate(&changed, present)
            changes = RecordChanges(to: changed, from: present)
            if changes.isEmpty { return present }
        }
        let allowed = changes
        let updated = try await changing(.update, isByModel, { _ in "\(id)" }) {
            try await $0.update(id, allowed)
        }
        await offline.save(updated, account: account)
        track("Updated")
        return updated
    }

    /// Throws if changes have no field, or one that breaks its rule.
    func check(_ id: Int, _ changes: RecordChanges<Item>) throws {
        guard !changes.isEmpty else { throw ServiceError.nothingToChange(Item.self, id) }
        try ValidationError.check(changes.validate())
    }

    /// Deletes a record, after the rules; returns it as it was, or only its id if the service does not say.
    @discardableResult
    public func delete(_ id: Int) async throws -> Item { try await delete(id, isByModel: false) }

    func delete(_ id: Int, isByModel: Bool) async throws -> Item {
        await begin()
        defer { end() }
        var former: Item?
        if let beforeDelete = rules.beforeDelete {
            let present = try await record(id)
            try await beforeDelete(present)
            former = present
        }
        let account = account
        let deleted = try await changing(.delete, isByModel, { _ in "\(id)" }) {
            try await $0.delete(id)
        }
        await offline.remove(id, account: account)
        track("Deleted")
        if let known = deleted ?? former { return known }
        var record = Item()
        record.id = id
        return record
    }

    /// Deletes every record of a list, or none.
    ///
    /// - Returns: The number deleted; nil if the service or the rules need each record.
    func deleteAll(
        _ query: RecordQuery<Item>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int? {
        guard rules.beforeDelete == nil,
            let count = try await changing(
                .deleteAll, true, { _ in nil }, { try await $0.deleteAll(query, progress: progress) })
        else { return nil }
        track("Deleted", count: count)
        return count
    }

    /// Throws if the rules forbid that a record is edited.
    public func checkEditable(_ record: Item) async throws {
        var copy = record
        try await rules.beforeUpdate?(&copy, record)
    }

    /// Waits for the change that is being made, if there are rules: what they found holds until it is stored.
    private func begin() async {
        guard !rules.isEmpty else { return }
        if isChanging { await withCheckedContinuation { waiting.append($0) } }
        isChanging = true
    }

    /// Lets the next change begin.
    private func end() {
        if waiting.isEmpty { isChanging = false } else { waiting.removeFirst().resume() }
    }

    /// Makes a change; empties the caches once it is made, or if its outcome is unknown.
    private func changing<Value: Sendable>(
        _ command: RecordCommand, _ isByModel: Bool, _ key: (Value) -> String?,
        _ change: (any RecordService<Item>) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await change(service)
            invalidate()
            send(DataChange(keys: key(value).map { [$0] }, isOwn: true), isByModel: isByModel)
            return value
        } catch {
            if error.mayHaveChanged {
                invalidate()
                send(DataChange(keys: nil, isOwn: true), isByModel: isByModel)
            }
            throw error.explained(as: command, of: Item.self)
        }
    }

    private func send(_ change: DataChange, isByModel: Bool) {
        changes.send(change)
        if !isByModel { outsideChanges.send(change) }
    }

    /// Reports an event such as `bookCreated`, or `booksDeleted` with their number.
    private func track(_ what: String, count: Int? = nil) {
        let words = (count == nil ? Item.fields.noun.singular : Item.fields.noun.plural).split(separator: " ")
        let name = (words.prefix(1) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() })
            .joined()
        analytics?.track(AnalyticsEvent(name + what, count.map { ["count": "\($0)"] } ?? [:]))
    }
}

// MARK: - Files

extension RecordRepository {
    /// Stores a record for each row of a file, after the rules, all or none.
    ///
    /// - Returns: The number stored.
    /// - Throws: ``ValidationError`` with the mistakes of the file, ``FileError``, or the service's failure.
    func importAll(
        from file: RecordFile<Item>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await file.check()
        await begin()
        defer { end() }
        let rows = try await allowedRows(of: file, progress)
        do {
            let count = try await changing(.importing, true, { _ in nil }) { try await $0.createAll(rows) }
            progress(count)
            track("Imported", count: count)
            return count
        } catch let error as ValidationError where error.findings.contains(where: { $0.line != nil }) {
            throw try await file.locating(error)
        }
    }

    /// The rows of a file, which a rule may change or refuse; progress is reported while they are read.
    private func allowedRows(
        of file: RecordFile<Item>, _ progress: @escaping @Sendable (Int) -> Void
    ) async throws -> @Sendable (_ add: (Item) throws -> Void) throws -> Void {
        guard let beforeCreate = rules.beforeCreate else {
            return { add in try file.forEach(progress: progress, add) }
        }
        var records = try await file.records()
        for index in records.indices {
            do {
                try await beforeCreate(&records[index])
            } catch let error as any ExplainedError {
                let finding = ValidationFinding(error.message, line: index + 1)
                throw try await file.locating(ValidationError(findings: [finding], cause: error))
            }
        }
        let allowed = records
        return { add in try allowed.forEach(add) }
    }

    /// Writes every record into a file; returns how many.
    func exportAll(
        to file: RecordFile<Item>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        do {
            let count = try await file.export(from: service, progress: progress)
            track("Exported", count: count)
            return count
        } catch let error as FileError where error.code == .fileExists {
            throw ServiceError(
                .fileExists, "The file '\(file.path)' exists already; nothing was exported.",
                hint: "Give --replace to replace it, or name another file.", cause: error)
        } catch {
            throw error.explained(as: .exporting, of: Item.self)
        }
    }
}

/// The rules of a module for changes of its records, beyond those of the fields.
///
/// Each closure may change the record, or throw the reason that the change is refused. With rules, changes are
/// made one at a time here; other hosts on the same data make theirs at the same time.
@MainActor
public struct RecordRules<Item: Record> {
    /// Runs before a record is stored for the first time; in an import for each row, before any is stored.
    public var beforeCreate: (@MainActor (inout Item) async throws -> Void)?
    /// Runs before a changed record is stored, with the record as it was; also, unchanged, before its form
    /// opens.
    public var beforeUpdate: (@MainActor (inout Item, Item) async throws -> Void)?
    /// Runs before a record is deleted.
    public var beforeDelete: (@MainActor (Item) async throws -> Void)?

    /// Creates the rules that a closure sets.
    public init(_ change: (inout Self) -> Void = { _ in }) { change(&self) }

    var isEmpty: Bool { beforeCreate == nil && beforeUpdate == nil && beforeDelete == nil }
}
