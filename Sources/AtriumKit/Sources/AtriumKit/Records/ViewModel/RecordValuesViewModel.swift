internal import Observation

/// A screen with the values of a field, to choose one of them.
@MainActor
@Observable
final class RecordValuesViewModel<Item: Record>: ViewModel {
    let field: RecordField<Item>
    private(set) var list: RecordValues?
    private(set) var asOf: Timestamp?
    @ObservationIgnored private let query: RecordValuesQuery
    @ObservationIgnored private let repository: RecordRepository<Item>

    init(_ field: RecordField<Item>, _ query: RecordValuesQuery, repository: RecordRepository<Item>) {
        (self.field, self.query, self.repository) = (field, query, repository)
        repository.userChanges.add(self) { viewModel, _ in (viewModel.list, viewModel.asOf) = (nil, nil) }
    }

    var rows: [RecordFieldValue] { list?.rows ?? [] }
    var unlisted: Int { (list?.total ?? 0) - rows.count }

    func load() async throws {
        let answer = try await repository.shown(query)
        (list, asOf) = (answer.value, answer.asOf)
    }

    /// Returns a value, in any case, listed or not, to the screen that presented the list.
    func choose(_ text: String) async throws -> ActionResult {
        let value = try await spelling(of: text)
        var destination = RecordListDestination<Item>()
        destination.filters[field.name] = value
        return try .leave(returning: value, showing: destination)
    }

    /// The stored spelling of a value, or that of a listed one if the service can't be reached.
    private func spelling(of text: String) async throws -> String {
        let nearest = NearestName.of(text, among: rows.map(\.name))
        do {
            return try await repository.spelling(of: text, in: field, nearest: nearest)
        } catch let error where error.isOffline {
            let forms = SearchKey.forms(of: text.trimmed)
            guard let row = rows.first(where: { SearchKey.isSame($0.name, forms) }) else { throw error }
            return row.name
        }
    }
}

extension RecordField {
    /// The slot for a value of the field that is chosen on another screen.
    var chosenSlot: ResultSlot<String> { ResultSlot("chosen-\(name)") }
}
