internal import Observation

/// The records that a field refers to, type-erased.
@MainActor
protocol NamedRecords: AnyObject {
    var noun: RecordNoun { get }
    var idType: any RecordID.Type { get }
    /// The command that creates a record.
    var creation: String { get }
    var changes: ObserverList<DataChange> { get }
    var userChanges: ObserverList<SessionChange> { get }
    /// The name of a record; nil if there is none, or the service does not answer.
    func name(of id: RecordKey) async -> String?
    /// The first `limit` records with their names, and the total, if it is known.
    func named(limit: Int) async throws -> (rows: [NamedRecord], total: Int?, asOf: Timestamp?)
    func check(_ id: RecordKey) async throws
}

/// A referenced record: `Dune (3)` on screens, the id in JSON.
struct NamedRecord: Displayable, Identifiable, Hashable {
    let id: RecordKey
    let name: String?

    var displayText: String {
        guard let name, name != id.displayText else { return id.displayText }
        return "\(name) (\(id.displayText))"
    }

    var json: JSONValue { id.json }
}

extension RecordRepository: NamedRecords {
    var noun: RecordNoun { Item.fields.noun }
    var idType: any RecordID.Type { Item.ID.self }
    var creation: String { "\(Item.link) create\(Item.firstArgument)" }

    func name(of id: RecordKey) async -> String? { try? await shown(Self.id(id)).value.recordName }

    func named(limit: Int) async throws -> (rows: [NamedRecord], total: Int?, asOf: Timestamp?) {
        var query = RecordQuery<Item>()
        query.size = limit
        let page = try await shown(query)
        let rows = page.value.rows.map { NamedRecord(id: RecordKey($0.id), name: $0.recordName) }
        return (rows, page.value.isTotalKnown ? page.value.total : nil, page.asOf)
    }

    func check(_ id: RecordKey) async throws { _ = try await shown(Self.id(id)) }

    private static func id(_ key: RecordKey) throws -> Item.ID {
        guard let id = Item.ID(json: key.json) else { throw ServiceError.noRecord(Item.self, key) }
        return id
    }
}

/// The names of the records that fields refer to, as screens show them.
@MainActor
final class RecordNames<Item: Record> {
    @Signalled private var known: [String: [RecordKey: String]] = [:]
    private let sources: [(field: RecordField<Item>, records: any NamedRecords)]

    init(_ sources: [(field: RecordField<Item>, records: any NamedRecords)] = []) {
        self.sources = sources
        for (index, source) in sources.enumerated() {
            source.records.changes.add(self) { $0.reload(index, $1) }
        }
    }

    /// Creates the names for the reference fields of `Item`.
    static func names(_ context: borrowing AggregateModelContext) throws -> RecordNames {
        var sources: [(field: RecordField<Item>, records: any NamedRecords)] = []
        for (field, other) in Item.fields.references {
            sources.append((field, try records(other, context)))
        }
        return RecordNames(sources)
    }

    private static func records<Other: Record>(
        _ type: Other.Type, _ context: borrowing AggregateModelContext
    ) throws -> any NamedRecords {
        try context.repository(RecordRepository<Other>.self)
    }

    func records(of field: String) throws -> any NamedRecords {
        guard let source = sources.first(where: { $0.field.name == field }) else {
            throw ServiceError(.badRecord, "The field '\(field)' refers to no record.")
        }
        return source.records
    }

    /// The record that a field refers to; nil if it refers to none.
    func referred(_ field: RecordField<Item>, of record: Item) -> NamedRecord? {
        field.referred(of: record).map { NamedRecord(id: $0, name: known[field.name]?[$0]) }
    }

    /// Loads the names as their repositories have them: cached, or from the services.
    ///
    /// A cancelled caller does not wait.
    func load(for records: [Item]) async {
        for (field, source) in sources {
            await load(Set(records.compactMap(field.referred)), field, source)
        }
    }

    private func load(_ ids: Set<RecordKey>, _ field: RecordField<Item>, _ source: any NamedRecords) async {
        guard !ids.isEmpty else { return }
        let tasks = ids.map { id in (id, Task.immediate { await source.name(of: id) }) }
        var found: [RecordKey: String?] = [:]
        await withTaskCancellationHandler {
            for (id, task) in tasks { found[id] = await task.value }
        } onCancel: {
            for (_, task) in tasks { task.cancel() }
        }
        if Task.isCancelled { return }
        var names = known[field.name, default: [:]]
        for (id, name) in found { names[id] = name }
        known[field.name] = names
    }

    /// Reloads the names that a change may concern.
    private func reload(_ index: Int, _ change: DataChange) {
        let (field, source) = sources[index]
        let ids = Set(known[field.name, default: [:]].keys.filter { change.concerns($0.displayText) })
        guard !ids.isEmpty else { return }
        Task.immediate { await self.load(ids, field, source) }
    }
}
