/// One record, with its actions.
public struct RecordView<Item: Record>: View {
    let viewModel: RecordViewModel<Item>
    private let screens: RecordScreens<Item>

    /// Shows a record; `screens` adds content and actions.
    public init(viewModel: RecordViewModel<Item>, screens: RecordScreens<Item> = RecordScreens()) {
        self.viewModel = viewModel
        self.screens = screens
    }

    public var body: Content {
        let row = viewModel.row
        if let record = row?.record {
            Title(record.recordName)
            Field("id", record.id)
            for field in Item.fields.all where !field.traits.isSecret {
                field.content(record, viewModel.model.names)
                // A value of another program or version.
                field.findings(in: record).map {
                    Notice(
                        .warning, $0.message, hint: field.traits.isReadOnly ? nil : "set \(field.name) VALUE")
                }
            }
            screens.detail(record)
            if let status = row?.status { Field("pending", status.rawValue) }
            if let asOf = viewModel.asOf {
                StaleNotice(asOf: asOf, hint: "\(Item.link(of: record.id)) refresh")
            }
        } else if !viewModel.isOutdated {
            Notice(.information, "The \(Item.fields.noun.singular) is gone.", hint: Item.link)
        }
        OutdatedNotice(viewModel.isOutdated, hint: Item.link(of: viewModel.id))
        if let failure = viewModel.failure {
            Notice(.problem, failure.message, hint: failure.reason.hint)
        }
    }

    public var actions: [Action] {
        if !Item.isReadOnly { changeActions }
        if screens.has(.edit) {
            Action("edit", "Open the form for the \(Item.fields.noun.singular)", effect: .navigates) {
                try await viewModel.edit()
            }
        }
        Action("refresh", "Load the \(Item.fields.noun.singular) again from the service", effect: .reads) {
            try await viewModel.refresh()
        }
        screens.detailActions(viewModel)
    }

    @ListBuilder<Action> private var changeActions: [Action] {
        Action(
            "update", "Change \(Item.fields.noun.withArticle)",
            arguments: Item.fields.arguments(isNew: false)
        ) { values in
            try await reportingCancellation(of: Item.self) { try await viewModel.update(values) }
        }
        Action(
            "delete", "Delete the \(Item.fields.noun.singular)", effect: .destroys,
            asking: viewModel.record.map { "Delete '\($0.recordName)'?" }
        ) {
            try await reportingCancellation(of: Item.self) { try await viewModel.delete() }
        }
        Action(
            "set", "Change one field", Argument<String>("field", "The field", choices: Item.openNames),
            Argument<String>("value", "Its new value; empty for none")
        ) { field, value in
            try await reportingCancellation(of: Item.self) { try await viewModel.set(field, to: value) }
        }
    }

    public func load() async throws { try await viewModel.load() }
}
