import AtriumKit
import Observation

/// The categories, to choose one of them.
@MainActor
@Observable
final class CategoryPickerViewModel: ViewModel {
    /// The categories; nil before ``load()``.
    private(set) var list: CategoryList?

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
        list = try await repository.categories(query)
    }

    /// Returns a category, in any case, listed or not, to whoever presented the list.
    ///
    /// - Throws: ``EntityError/noCategory(_:nearest:)``.
    func choose(_ name: String) async throws -> ActionResult {
        let nearest = NearestName.of(name, among: rows.map(\.name))
        let category = try await repository.category(named: name, nearest: nearest)
        return try .leave(returning: category, showing: EntityList(category: category))
    }
}
