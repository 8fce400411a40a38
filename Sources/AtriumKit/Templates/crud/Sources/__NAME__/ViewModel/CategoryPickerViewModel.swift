import AtriumKit
import Observation

/// The categories, one of which is returned to the screen that asked.
@MainActor
@Observable
final class CategoryPickerViewModel: ViewModel {
    private(set) var categories: [String] = []
    private let items: ItemRepository

    init(items: ItemRepository) {
        self.items = items
    }

    func load() async throws {
        categories = try await items.categories()
    }

    func choose(_ name: String) async throws -> ActionResult {
        let category = try await items.category(named: name)
        return try .leave(returning: category, showing: __NAME__Destination(category: category))
    }
}
