import AtriumKit
import Observation

/// The categories, to choose one of them.
@MainActor
@Observable
final class CategoryPickerViewModel: ViewModel {
    /// The categories; nil before ``load()``.
    private(set) var list: CategoryList?
    /// When the categories were last seen at the service, where that can't be asked now.
    private(set) var asOf: Timestamp?

    private let query: CategoryQuery
    private let repository: EntityRepository

    init(query: CategoryQuery, repository: EntityRepository) {
        self.query = query
        self.repository = repository
    }

    /// The categories that are listed.
    var rows: [EntityCategory] { list?.rows ?? [] }

    /// How many categories are not listed, as there are more than were asked for.
    var unlisted: Int { (list?.total ?? 0) - rows.count }

    func load() async throws {
        let known = try await repository.categories(query)
        (list, asOf) = (known.value, known.asOf)
    }

    /// Returns a category, in any case, listed or not, to whoever presented the list.
    ///
    /// - Throws: ``EntityError/noCategory(_:nearest:)``.
    func choose(_ name: String) async throws -> ActionResult {
        let category = try await category(named: name)
        return try .leave(returning: category, showing: EntityList(category: category))
    }

    /// The category as it is written; one that is listed where the service can't be asked.
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
