extension RecordRepository {
    /// A record to be created, as it is shown until the service has answered.
    func provisional(_ record: Item, id: Item.ID) -> Item {
        var record = record.stamped(at: clock.now(), isNew: true)
        record.id = id
        return record
    }

    /// Stores a new record, after its rules; texts lose the white space around them.
    public func create(_ record: Item) async throws -> Item {
        try await create(record.trimmed(), isByModel: false)
    }

    func create(_ record: Item, isByModel: Bool) async throws -> Item {
        var record = record
        try ValidationError.check(record.validateInput())
        await turns?.begin()
        defer { turns?.end() }
        let account = account
        try await checkReferences(record, Item.fields.all)
        if let beforeCreate = rules.beforeCreate {
            let given = record
            try await beforeCreate(&record)
            try await checkReferences(record, record.changes(from: given))
        }
        let given = record
        let (created, mayStore) = try await StorageConsent.asking {
            try await changing(.create, isByModel, { "\($0.id)" }) { try await $0.create(given) }
        }
        if mayStore, account == self.account { await offline.save(created, account: account) }
        track("Created")
        return created
    }

    /// Stores the fields in which `record` differs from `base`, after the rules.
    public func update(_ record: Item, from base: Item) async throws -> Item {
        let changes = RecordChanges(to: record, from: base)
        return changes.isEmpty ? base : try await update(base.id, changes)
    }

    /// Stores new values of some fields, after the rules; texts lose the white space around them.
    public func update(_ id: Item.ID, _ changes: RecordChanges<Item>) async throws -> Item {
        try await update(id, changes.trimmed(), isByModel: false)
    }

    func update(_ id: Item.ID, _ changes: RecordChanges<Item>, isByModel: Bool) async throws -> Item {
        try check(id, changes)
        await turns?.begin()
        defer { turns?.end() }
        let account = account
        var changes = changes
        try await checkReferences(changes.applied(to: Item()), changes.fields)
        if let beforeUpdate = rules.beforeUpdate {
            // Rules judge the record as it is stored, not as a form has read it.
            let present = try await record(id)
            var changed = try changes.checkedAndApplied(to: present)
            try await beforeUpdate(&changed, present)
            let given = changes.applied(to: present)
            try await checkReferences(changed, changed.changes(from: given))
            changes = RecordChanges(to: changed, from: present)
            if changes.isEmpty { return present }
        }
        let allowed = changes
        let (updated, mayStore) = try await StorageConsent.asking {
            try await changing(.update, isByModel, { _ in "\(id)" }) { try await $0.update(id, allowed) }
        }
        if mayStore, account == self.account { await offline.save(updated, account: account) }
        track("Updated")
        return updated
    }

    /// Throws if changes have no field, or one that breaks its rule.
    func check(_ id: Item.ID, _ changes: RecordChanges<Item>) throws {
        guard !changes.isEmpty else { throw ServiceError.nothingToChange(Item.self, id) }
        try ValidationError.check(changes.validate())
    }

    /// Deletes a record, after the rules; returns it as it was, or only its id if the service does not say.
    @discardableResult
    public func delete(_ id: Item.ID) async throws -> Item { try await delete(id, isByModel: false) }

    func delete(_ id: Item.ID, isByModel: Bool) async throws -> Item {
        await turns?.begin()
        defer { turns?.end() }
        var former: Item?
        if let beforeDelete = rules.beforeDelete {
            let present = try await record(id)
            try await beforeDelete(present)
            former = present
        }
        for check in referrers { try await check(RecordKey(id)) }
        let (account, shown) = (account, cached(id))
        let deleted = try await changing(.delete, isByModel, { _ in "\(id)" }) {
            try await $0.delete(id)
        }
        await offline.remove(id, account: account)
        track("Deleted")
        if let known = deleted ?? former ?? shown { return known }
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
        try query.check()
        guard rules.beforeDelete == nil, referrers.isEmpty else { return nil }
        await turns?.begin()
        defer { turns?.end() }
        guard
            let count = try await changing(
                .deleteAll, false, { _ in nil }, { try await $0.deleteAll(query, progress: progress) })
        else { return nil }
        track("Deleted", count: count)
        return count
    }

    /// Throws if the rules forbid that a record is edited.
    public func checkEditable(_ record: Item) async throws {
        var copy = record
        try await rules.beforeUpdate?(&copy, record)
    }

    /// Makes a change; empties the caches once it is made, or if its outcome is unknown.
    func changing<Value: Sendable>(
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

    func send(_ change: DataChange, isByModel: Bool) {
        changes.send(change)
        if !isByModel { outsideChanges.send(change) }
    }

    /// Reports an event such as `bookCreated`, or `booksDeleted` with their number.
    func track(_ what: String, count: Int? = nil) {
        let words = (count == nil ? Item.fields.noun.singular : Item.fields.noun.plural).split(separator: " ")
        let name = (words.prefix(1) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() })
            .joined()
        analytics?.track(AnalyticsEvent(name + what, count.map { ["count": "\($0)"] } ?? [:]))
    }
}

/// Lets one change be made at a time: what was found before it holds until it is stored.
@MainActor
final class ChangeTurns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func begin() async {
        if isTaken { await withCheckedContinuation { waiting.append($0) } }
        isTaken = true
    }

    /// Lets the next change begin.
    func end() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
