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
        RecordDraftView(form.owned.draft, form.model.names)
        OutdatedNotice(
            form.isOutdated, hint: form.id.map { "\(Item.link(of: $0))/edit" } ?? "\(Item.link)/new")
        if form.isGone { Notice(.problem, "The \(Item.fields.noun.singular) was deleted.", hint: "reset") }
        if form.isSaving { Notice(.information, "The \(Item.fields.noun.singular) is being saved.") }
    }

    public var actions: [Action] {
        Action.set(Item.self) { try await viewModel.set($0, to: $1) }
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

/// The fields of a draft, each with its mistakes beside it.
public struct RecordDraftView<Item: Record>: View {
    private let draft: RecordDraft<Item>
    private let names: RecordNames<Item>

    /// Shows a draft that a view model owns.
    public init(_ draft: RecordDraft<Item>) { self.init(draft, RecordNames()) }

    init(_ draft: RecordDraft<Item>, _ names: RecordNames<Item>) { (self.draft, self.names) = (draft, names) }

    public var body: Content {
        for field in Item.fields.editable {
            if field.traits.isSecret {
                Field(field.name, label: field.label, field.text(of: draft.value) == nil ? "" : "(hidden)")
            } else if field.text(of: draft.value) == nil {
                Field(field.name, label: field.label, String?.none)
            } else {
                field.content(draft.value, names)
            }
            if let problem = draft.problems[field.name] {
                Notice(.problem, problem, hint: field.setting)
            }
        }
    }
}

extension Action {
    /// Declares `set`, which fills in one field of a form; the closure gets its name and the typed text.
    public static func set<Item: Record>(
        _ type: Item.Type, perform: @escaping @MainActor (String, String) async throws -> ActionResult
    ) -> Action {
        Action(
            "set", "Fill in one field", Argument<String>("field", "The field", choices: Item.openNames),
            Argument<String>("value", "Its new value"), perform: perform)
    }

    /// Declares an action with an optional argument for each field of a form; the closure gets the texts that were
    /// typed, by the names of the fields.
    public init<Item: Record>(
        _ name: String, _ summary: String, fieldsOf type: Item.Type,
        perform: @escaping @MainActor ([String: String]) async throws -> ActionResult
    ) {
        let fields = Item.fields.arguments(isNew: false)
        self.init(name, summary, arguments: fields) { values in
            let texts = fields.compactMap { field in values[field.name].map { (field.name, $0) } }
            return try await perform(Dictionary(uniqueKeysWithValues: texts))
        }
    }
}
