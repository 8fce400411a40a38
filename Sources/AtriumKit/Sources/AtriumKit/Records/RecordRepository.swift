/// The records, and the rules for reading and changing them.
///
/// Every change is checked against the rules of the fields, then against the module's ``RecordRules``. Changes are
/// made one at a time here; other hosts on the same data make theirs at the same time.
@MainActor
public final class RecordRepository<Item: Record> {
    private let service: any RecordService<Item>
    private let rules: RecordRules<Item>
    /// Notified after each change, made here or by another host.
    public let changes = ObserverList<DataChange>()
    private var isChanging = false
    /// The changes that wait for their turn, in order.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates a repository; `announced` are the changes of all hosts.
    public init(
        service: any RecordService<Item>, rules: RecordRules<Item> = RecordRules(),
        announced: ObserverList<DataChange> = ObserverList()
    ) {
        self.service = service
        self.rules = rules
        announced.add(self) { repository, change in
            if !change.isOwn { repository.changes.send(change) }
        }
    }

    /// Returns a page of a list.
    public func page(_ query: RecordQuery<Item>) async throws -> RecordPage<Item> {
        try query.check()
        return try await service.page(query)
    }

    public func record(_ id: Int) async throws -> Item { try await service.record(id) }

    /// Returns the values of a filtered field, each once, in order.
    public func values(of field: String) async throws -> [String] {
        _ = try Item.fields.field(field, among: Item.fields.filtered)
        return try await service.values(of: field)
    }

    /// Stores a new record, after its rules.
    public func create(_ record: Item) async throws -> Item {
        var record = record
        try ValidationError.check(record.validate())
        await begin()
        defer { end() }
        try await rules.beforeCreate?(&record)
        let created = try await service.create(record)
        send(created.id)
        return created
    }

    /// Stores the fields in which `record` differs from `base`, after the rules.
    public func update(_ record: Item, from base: Item) async throws -> Item {
        var record = record
        let changed = record.changes(from: base)
        try ValidationError.check(changed.flatMap { $0.findings(in: record) })
        await begin()
        defer { end() }
        try await rules.beforeUpdate(&record, base)
        let updated = try await service.update(record, from: base)
        send(updated.id)
        return updated
    }

    /// Deletes a record, after the rules; returns it as it was.
    @discardableResult
    public func delete(_ id: Int) async throws -> Item {
        await begin()
        defer { end() }
        let record = try await service.record(id)
        try await rules.beforeDelete(record)
        try await service.delete(id)
        send(id)
        return record
    }

    /// Throws if the rules forbid that a record is edited.
    public func checkEditable(_ record: Item) async throws {
        var copy = record
        try await rules.beforeUpdate(&copy, record)
    }

    /// Waits for the change that is being made: what its rules found holds until it is stored.
    private func begin() async {
        if isChanging { await withCheckedContinuation { waiting.append($0) } }
        isChanging = true
    }

    /// Lets the next change begin.
    private func end() {
        if waiting.isEmpty { isChanging = false } else { waiting.removeFirst().resume() }
    }

    private func send(_ id: Int?) {
        changes.send(DataChange(keys: id.map { ["\($0)"] }, isOwn: true))
    }
}

// MARK: - Files

extension RecordRepository {
    /// Stores a record for each row of a file, after the rules, all or none; returns how many.
    func importAll(_ file: RecordFile<Item>, progress: @escaping @Sendable (Int) -> Void) async throws -> Int
    {
        try await file.check()
        await begin()
        defer { end() }
        let count: Int
        if let beforeCreate = rules.beforeCreate {
            var records: [Item] = []
            try file.forEach { records.append($0) }
            for index in records.indices { try await beforeCreate(&records[index]) }
            let allowed = records
            count = try await service.createAll { add in try allowed.forEach(add) }
        } else {
            count = try await service.createAll { add in
                var count = 0
                try file.forEach { record in
                    try add(record)
                    count += 1
                    if count.isMultiple(of: 1_000) { progress(count) }
                }
            }
        }
        send(nil)
        return count
    }

    /// Writes every record into a file; returns how many.
    func exportAll(
        _ file: RecordFile<Item>, replaces: Bool, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        do {
            return try await file.export(from: service, replaces: replaces, progress: progress)
        } catch let error as FileError where error.code == .fileExists {
            throw ServiceError(
                .fileExists, "The file '\(file.path)' exists already; nothing was exported.",
                hint: "Give --replace to replace it, or name another file.", cause: error)
        }
    }
}

/// The rules of a module for changes of its records, beyond those of the fields.
///
/// Each closure may change the record, or throw the reason that the change is refused.
@MainActor
public struct RecordRules<Item: Record> {
    /// Runs before a record is stored for the first time; in an import for each row, before any is stored.
    public var beforeCreate: (@MainActor (inout Item) async throws -> Void)?
    /// Runs before a changed record is stored, with the record as it was; also, unchanged, before its form
    /// opens.
    public var beforeUpdate: @MainActor (inout Item, Item) async throws -> Void = { _, _ in }
    /// Runs before a record is deleted.
    public var beforeDelete: @MainActor (Item) async throws -> Void = { _ in }

    /// Creates the rules that a closure sets.
    public init(_ change: (inout Self) -> Void = { _ in }) { change(&self) }
}
