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
    @ObservationIgnored private let limit: Int

    init(_ query: RecordValuesQuery, names: RecordNames<Item>) throws {
        (field, limit) = (try Item.fields.field(query.field), query.limit)
        records = try names.records(of: query.field)
        records.userChanges.add(self) { viewModel, _ in
            (viewModel.rows, viewModel.total, viewModel.asOf) = ([], nil, nil)
        }
    }

    func load() async throws { (rows, total, asOf) = try await records.named(limit: limit) }

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
