internal import Observation

/// A screen with the records that a field can refer to, to choose one of them.
@MainActor
@Observable
final class RecordChoiceViewModel<Item: Record>: ViewModel {
    let field: RecordField<Item>
    private(set) var rows: [NamedRecord] = []
    private(set) var total: Int?
    private(set) var asOf: Timestamp?
    @ObservationIgnored let records: any NamedRecords
    @ObservationIgnored private let query: RecordValuesQuery
    @ObservationIgnored private let repository: RecordRepository<Item>

    init(_ query: RecordValuesQuery, model: RecordModel<Item>) throws {
        (self.query, repository) = (query, model.repository)
        field = try Item.fields.field(query.field)
        records = try model.names.records(of: query.field)
        records.userChanges.add(self) { viewModel, _ in
            (viewModel.rows, viewModel.total, viewModel.asOf) = ([], nil, nil)
        }
    }

    func load() async throws {
        var (found, total, asOf) = try await records.named(limit: query.limit)
        if query.sort == .mostUsed { found = try await byUse(found) }
        (rows, self.total, self.asOf) = (found, total, asOf)
    }

    /// The records that are referred to most, then the others.
    private func byUse(_ listed: [NamedRecord]) async throws -> [NamedRecord] {
        let names = Dictionary(listed.map { ($0.id, $0.name) }) { first, _ in first }
        var used: [NamedRecord] = []
        for value in try await repository.shown(query).value.rows {
            guard let id = Self.key(value.name, records.idType) else { continue }
            let name = if let known = names[id] { known } else { await records.name(of: id) }
            if let name { used.append(NamedRecord(id: id, name: name)) }
        }
        let ids = Set(used.map(\.id))
        return Array((used + listed.filter { !ids.contains($0.id) }).prefix(query.limit))
    }

    private static func key<ID: RecordID>(_ text: String, _ type: ID.Type) -> RecordKey? {
        ID(argument: text).map { RecordKey($0) }
    }

    /// Returns the id of a record, listed or not, to the screen that presented the list.
    ///
    /// If the service can't be reached, only a listed one.
    func choose(_ id: RecordKey) async throws -> ActionResult {
        do {
            try await records.check(id)
        } catch let error where error.isOffline {
            guard rows.contains(where: { $0.id == id }) else { throw error }
        }
        var destination = RecordListDestination<Item>()
        destination.filters[field.name] = id.displayText
        return try .leave(returning: id.displayText, showing: destination)
    }
}
