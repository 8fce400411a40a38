import AtriumKit

/// The items, by pages; the link is `__LINK__`, or `__LINK__?category=Lighting`.
struct __NAME__Destination: Destination {
    static let pattern: LinkPattern = "__LINK__"

    var page: Int?
    var category: String?
}

/// Lists items, with actions that open the screens for one of them.
struct __NAME__View: View {
    let viewModel: __NAME__ViewModel

    var body: Content {
        Title("__NAME__")
        Table(viewModel.page.items) {
            Column("id") { $0.id }
            Column("name") { $0.name }
            Column("category") { $0.category }
            Column("quantity") { $0.quantity }
            if viewModel.page.items.contains(where: \.isArchived) { Column("archived") { $0.isArchived } }
        }
        Summary(
            viewModel.page.items.isEmpty ? nil : summary,
            [
                "page": viewModel.query.page, "total": viewModel.page.total, "more": viewModel.hasMore,
                "category": viewModel.query.category,
            ])
        if viewModel.page.items.isEmpty { nothing }
    }

    /// `3 items in 'Lighting', page 1 of 1`.
    private var summary: String {
        let total = viewModel.page.total
        let category = viewModel.query.category.map { " in '\($0)'" } ?? ""
        return "\(total) \(total == 1 ? "item" : "items")\(category), "
            + "page \(viewModel.query.page) of \(viewModel.page.lastNumber)"
    }

    private var nothing: Notice {
        if let category = viewModel.query.category, viewModel.page.total == 0 {
            Notice(.information, "No item is in category '\(category)'.", hint: "__LINK__")
        } else if viewModel.page.total == 0 {
            Notice(.information, "There is no item yet.", hint: "__LINK__ new")
        } else {
            Notice(.information, "The list ends with page \(viewModel.page.lastNumber).", hint: "__LINK__")
        }
    }

    var actions: [Action] {
        Action(
            "list", "List another page or category", effect: .reads, loadsFirst: false,
            Argument("page", "The page, from 1", default: 1),
            Argument<String?>("category", "Only this category, in any case")
        ) { page, category in
            try await viewModel.list(page: page, category: category)
        }
        Action("filter", "Choose a category to list", effect: .navigates) { try await viewModel.filter() }
        Action("new", "Open the form for a new item", effect: .navigates) { try await viewModel.create() }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
