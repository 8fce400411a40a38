import AtriumKit

struct ItemDetail: Destination {
    static let pattern: LinkPattern = "__LINK__/:id"

    let id: Int
}

struct ItemDetailView: View {
    let viewModel: ItemDetailViewModel

    var body: Content {
        if let item = viewModel.item {
            Title(item.name)
            Field("id", item.id)
            Field("category", item.category)
            Field("quantity", item.quantity)
            Field("archived", item.isArchived)
        } else {
            Text("The item is not loaded.")
        }
    }

    var actions: [Action] {
        Action("edit", "Open the form for the item", effect: .navigates) { try await viewModel.edit() }
        Action("archive", "Keep the item from being edited") { try await viewModel.setArchived(true) }
        Action("restore", "Let the item be edited again") { try await viewModel.setArchived(false) }
        Action(
            "delete", "Delete the item", effect: .destroys,
            asking: viewModel.item.map { "Delete '\($0.name)'?" }
        ) {
            try await viewModel.delete()
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
