import AtriumKit

struct NewItem: Destination {
    static let pattern: LinkPattern = "__LINK__/new"
}

struct EditItem: Destination {
    static let pattern: LinkPattern = "__LINK__/:id/edit"
    static let guards: [GuardName] = [.editableItem]

    let id: Int
}

extension GuardName {
    static let editableItem: GuardName = "__LINK__-editable"
}

/// The form: each field with its problems beside it.
struct ItemFormView: View {
    let viewModel: ItemFormViewModel

    var body: Content {
        Title(viewModel.id.map { "Item \($0)" } ?? "New item")
        for field in ItemField.allCases {
            Field(field.rawValue, viewModel.draft.text(of: field))
            if let problem = viewModel.problems[field] {
                Notice(.problem, problem, hint: "set \(field.rawValue) VALUE")
            }
        }
        if viewModel.isSaving { Notice(.information, "The item is being saved.") }
    }

    var actions: [Action] {
        Action(
            "set", "Fill in a field", Argument<ItemField>("field", "The field"),
            Argument<String>("value", "Its new value")
        ) { field, value in
            try viewModel.set(field, to: value)
        }
        Action("choose-category", "Choose the category from a list", effect: .navigates) {
            try await viewModel.chooseCategory()
        }
        Action("save", "Store the item") { try await viewModel.save() }
        Action("reset", "Drop what was filled in") { try viewModel.reset() }
    }

    func load() async throws {
        try await viewModel.load()
    }
}

extension ItemField: ArgumentValue {}
