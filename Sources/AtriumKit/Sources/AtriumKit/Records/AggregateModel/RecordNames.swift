internal import Observation

/// The records that a field refers to, without their type.
@MainActor
protocol NamedRecords: AnyObject {
    var noun: RecordNoun { get }
    var changes: ObserverList<DataChange> { get }
    /// The name of a record; nil if there is none, or the service does not answer.
    func name(of id: Int) async -> String?
    /// The first records with their names, and how many there are.
    func named(limit: Int) async throws -> (rows: [NamedRecord], total: Int, asOf: Timestamp?)
    /// Throws if there is no record of an id.
    func check(_ id: Int) async throws
}

/// A record as the screens of others show it: `Dune (3)`, and its id for programs.
struct NamedRecord: Displayable, Identifiable, Hashable {
    let id: Int
    let name: String?

    var displayText: String { name.map { "\($0) (\(id))" } ?? "\(id)" }
    var json: JSONValue { id.json }
}

extension RecordRepository: NamedRecords {
    var noun: RecordNoun { Item.fields.noun }

    func name(of id: Int) async -> String? { try? await shown(id).value.recordName }

    func named(limit: Int) async throws -> (rows: [NamedRecord], total: Int, asOf: Timestamp?) {
        var query = RecordQuery<Item>()
        query.size = limit
        let page = try await shown(query)
        let rows = page.value.rows.map { NamedRecord(id: $0.id, name: $0.recordName) }
        return (rows, page.value.total, page.asOf)
    }

    func check(_ id: Int) async throws { _ = try await shown(id) }
}

/// The names of the records that fields refer to, as screens show them.
@MainActor
final class RecordNames<Item: Record> {
    @Signalled private var known: [String: [Int: String]] = [:]
    private let sources: [(field: RecordField<Item>, records: any NamedRecords)]

    /// Creates the names; `sources` has the records of each field.
    init(_ sources: [(field: RecordField<Item>, records: any NamedRecords)] = []) {
        self.sources = sources
        for (index, source) in sources.enumerated() {
            source.records.changes.add(self) { $0.reload(index, $1) }
        }
    }

    /// The names of the records of a module.
    static func names(_ context: borrowing AggregateModelContext) throws -> RecordNames {
        var sources: [(field: RecordField<Item>, records: any NamedRecords)] = []
        for field in Item.fields.all {
            guard let other = field.reference else { continue }
            sources.append((field, try records(other, context)))
        }
        return RecordNames(sources)
    }

    private static func records<Other: Record>(
        _ type: Other.Type, _ context: borrowing AggregateModelContext
    ) throws -> any NamedRecords {
        try context.repository(RecordRepository<Other>.self)
    }

    /// What a field of a record refers to; nil if it refers to nothing.
    func referred(_ field: RecordField<Item>, of record: Item) -> NamedRecord? {
        field.referredID(of: record).map { NamedRecord(id: $0, name: known[field.name]?[$0]) }
    }

    /// Loads the names that are not known yet.
    func load(for records: [Item]) async {
        for (field, source) in sources {
            let ids = Set(records.compactMap(field.referredID)).subtracting(
                known[field.name, default: [:]].keys)
            await load(ids, field, source)
        }
    }

    private func load(_ ids: Set<Int>, _ field: RecordField<Item>, _ source: any NamedRecords) async {
        guard !ids.isEmpty else { return }
        let tasks = ids.map { id in (id, Task.immediate { await source.name(of: id) }) }
        var found: [Int: String?] = [:]
        for (id, task) in tasks { found[id] = await task.value }
        var names = known[field.name, default: [:]]
        for (id, name) in found { names[id] = name }
        known[field.name] = names
    }

    /// Loads names of a field again that may have changed.
    private func reload(_ index: Int, _ change: DataChange) {
        let (field, source) = sources[index]
        let ids = Set(known[field.name, default: [:]].keys.filter { change.concerns("\($0)") })
        guard !ids.isEmpty else { return }
        Task.immediate { await self.load(ids, field, source) }
    }
}
