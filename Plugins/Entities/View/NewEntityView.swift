import AtriumKit

/// The form for a new entity: each field with its problems beside it.
struct NewEntityView: View {
    let viewModel: NewEntityViewModel

    var body: Content {
        Title("New entity")
        for field in EntityField.allCases {
            Field(field.rawValue, viewModel.draft.text(of: field))
            if let problem = viewModel.problems[field] {
                Notice(.problem, problem, hint: "set \(field.rawValue) VALUE")
            }
        }
        if viewModel.isSaving { Notice(.information, "The entity is being saved.") }
    }

    var actions: [Action] {
        Action(
            "set", "Fill in one field", Argument<EntityField>("field", "The field"),
            Argument<String>("value", "Its new value")
        ) { field, value in
            try viewModel.set(field, to: value)
        }
        Action("choose-category", "Choose the category from a list", effect: .navigates) {
            try await viewModel.chooseCategory()
        }
        Action("save", "Create the entity") {
            try await reportingCancellation { try await viewModel.submit() }
        }
        Action("reset", "Empty the form") {
            viewModel.reset()
            return .updated("The form is empty.")
        }
    }
}

extension EntityField: ArgumentValue {}
