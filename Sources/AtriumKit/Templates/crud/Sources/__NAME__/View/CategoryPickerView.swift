import AtriumKit

/// The list of categories; returns the chosen one to a screen that presents it.
struct CategoryPicker: ResultDestination {
    typealias Result = String

    static let pattern: LinkPattern = "__LINK__/categories"
}

struct CategoryPickerView: View {
    let viewModel: CategoryPickerViewModel

    var body: Content {
        Title("Categories")
        Table(viewModel.categories) {
            Column("category") { $0 }
        }
        if viewModel.categories.isEmpty { Notice(.information, "No item is in a category.") }
    }

    var actions: [Action] {
        Action(
            "choose", "Choose a category", effect: .navigates,
            Argument<String>("category", "The category, in any case", suggestions: viewModel.categories)
        ) { category in
            try await viewModel.choose(category)
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
