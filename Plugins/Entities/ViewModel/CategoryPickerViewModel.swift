import AtriumKit
import Observation

@MainActor
@Observable
final class CategoryPickerViewModel: ViewModel {
    private(set) var list: CategoryList?
    private(set) var asOf: Timestamp?

    private let query: CategoryQuery
    private let repository: EntityRepository

    init(query: CategoryQuery, repository: EntityRepository) {
        self.query = query
        self.repository = repository
    }

    var rows: [EntityCategory] { list?.rows ?? [] }

    var unlisted: Int { (list?.total ?? 0) - rows.count }

    func load() async throws {
        let answer = try await repository.categories(query)
        (list, asOf) = (answer.value, answer.asOf)
    }

    /// Returns a category, in any case, listed or not, to the screen that presented the list.
    func choose(_ name: String) async throws -> ActionResult {
        let category = try await category(named: name)
        return try .leave(returning: category, showing: EntityList(category: category))
    }

    /// The stored spelling of a category, or that of a listed one if the service can't be reached.
    private func category(named name: String) async throws -> String {
        let nearest = NearestName.of(name, among: rows.map(\.name))
        do {
            return try await repository.category(named: name, nearest: nearest)
        } catch let error where error.isOffline {
            let key = SearchKey.of(name.trimmed)
            guard let row = rows.first(where: { SearchKey.of($0.name) == key }) else { throw error }
            return row.name
        }
    }
}
