import AtriumKit
import Observation

/// A page of the items.
@MainActor
@Observable
final class __NAME__ViewModel: ViewModel {
    static let chosenCategory = ResultSlot<String>("chosenCategory")

    private(set) var query: ItemQuery
    private(set) var page = ItemPage()
    private let items: ItemRepository
    private let navigator: any Navigator

    init(_ destination: __NAME__Destination, items: ItemRepository, navigator: any Navigator) {
        query = ItemQuery(page: destination.page ?? 1, category: destination.category)
        self.items = items
        self.navigator = navigator
    }

    var hasMore: Bool { query.offset + page.items.count < page.total }

    func load() async throws {
        page = try await items.page(query)
    }

    func list(page number: Int, category: String?) async throws -> ActionResult {
        var query = ItemQuery(page: number)
        if let category { query.category = try await items.category(named: category) }
        page = try await items.page(query)
        self.query = query
        return .updated
    }

    /// Lists a category chosen on another screen.
    func filter() async throws -> ActionResult {
        let category = try await navigator.present(CategoryPicker(), for: Self.chosenCategory)
        guard let category else { return .updated }
        return try await list(page: 1, category: category)
    }

    /// Receives a choice made after the process that asked for it had ended.
    func receive(_ result: ReturnedResult) async throws {
        guard let category = try result.value(in: Self.chosenCategory) else { return }
        _ = try await list(page: 1, category: category)
    }

    func create() async throws -> ActionResult {
        try await navigator.push(NewItem())
        return .updated
    }
}

extension __NAME__ViewModel {
    /// The page shown, which the command `link` prints.
    var shownDestination: (any Destination)? {
        __NAME__Destination(page: query.page == 1 ? nil : query.page, category: query.category)
    }
}
