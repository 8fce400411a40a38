import AtriumKit

/// The form for a new entity: each field with what is wrong with it beside it.
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
            "set", "Sets one field of the form", Argument<EntityField>("field", "Which field"),
            Argument<String>("value", "Its new value")
        ) { field, value in
            try viewModel.set(field, to: value)
        }
        Action("choose-category", "Fills in a category that is chosen from all", effect: .navigates) {
            try await viewModel.chooseCategory()
        }
        Action("save", "Creates the entity") { try await settling { try await viewModel.submit() } }
        Action("reset", "Forgets what was filled in") {
            viewModel.reset()
            return .updated("The form is empty.")
        }
    }
}

extension EntityField: ArgumentValue {}
