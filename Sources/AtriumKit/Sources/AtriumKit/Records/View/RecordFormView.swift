/// The form of a record: each field with its mistakes beside it.
public struct RecordFormView<Item: Record>: View {
    let viewModel: RecordFormViewModel<Item>
    private let screens: RecordScreens<Item>

    /// Shows a form; `screens` says which others there are.
    public init(viewModel: RecordFormViewModel<Item>, screens: RecordScreens<Item> = RecordScreens()) {
        self.viewModel = viewModel
        self.screens = screens
    }

    private var form: RecordForm<Item> { viewModel.form }

    public var body: Content {
        Title(
            form.id.map { "\(Item.fields.noun.singular.capitalizingFirst) \($0)" }
                ?? "New \(Item.fields.noun.singular)")
        for field in Item.fields.editable {
            if field.traits.isSecret {
                Field(field.name, label: field.label, field.text(of: form.draft) == nil ? "" : "(hidden)")
            } else if field.text(of: form.draft) == nil {
                Field(field.name, label: field.label, String?.none)
            } else {
                field.content(form.draft, form.model.names)
            }
            if let problem = form.problems[field.name] {
                Notice(.problem, problem, hint: field.setting)
            }
        }
        if form.isGone { Notice(.problem, "The \(Item.fields.noun.singular) was deleted.", hint: "reset") }
        if form.isSaving { Notice(.information, "The \(Item.fields.noun.singular) is being saved.") }
    }

    public var actions: [Action] {
        Action(
            "set", "Fill in one field", Argument<String>("field", "The field", choices: Item.openNames),
            Argument<String>("value", "Its new value")
        ) { try await viewModel.set($0, to: $1) }
        for field in Item.fields.editable where field.traits.isSecret {
            Action(
                "set-\(field.name)", "Fill in the \(field.label.lowercased())",
                arguments: [field.argument(isNew: true)]
            ) {
                try await viewModel.set(field.name, to: $0[field.name] ?? "")
            }
        }
        if screens.has(.values) {
            for field in Item.fields.filtered where !field.traits.isReadOnly {
                Action(
                    "choose-\(field.name)", "Choose the \(field.label.lowercased()) from a list",
                    effect: .navigates
                ) { try await viewModel.choose(field) }
            }
        }
        Action("save", form.id == nil ? "Create the \(Item.fields.noun.singular)" : "Store the changes") {
            try await reportingCancellation(of: Item.self) { try await viewModel.save() }
        }
        Action("reset", form.id == nil ? "Empty the form" : "Drop what was filled in") {
            try viewModel.reset()
        }
    }

    public func load() async throws { try await viewModel.load() }
}
