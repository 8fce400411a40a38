import AtriumKit

struct CategoryPickerView: View {
    let viewModel: CategoryPickerViewModel

    var body: Content {
        Title("Categories")
        Table(viewModel.rows) {
            Column("name") { $0.name }
            Column("count", label: "Entities") { $0.count }
        }
        if let total = viewModel.list?.total { Summary(summary(total), ["total": total]) }
        if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: "entities/categories") }
        if viewModel.list?.total == 0 {
            Notice(
                .information, "No entity is in a category.",
                hint: "entities create --name NAME --category CATEGORY")
        }
        if viewModel.unlisted > 0 {
            Notice(.information, "\(viewModel.unlisted) more are not listed, but can be chosen.")
        }
    }

    private func summary(_ total: Int) -> String? {
        total == 0 ? nil : total == 1 ? "1 category" : "\(total) categories"
    }

    var actions: [Action] {
        Action(
            "choose", "Choose a category", effect: .navigates,
            Argument<String>("category", "The category, in any case", suggestions: viewModel.rows.map(\.name))
        ) { category in
            try await viewModel.choose(category)
        }
    }

    func load() async throws { try await viewModel.load() }
}
