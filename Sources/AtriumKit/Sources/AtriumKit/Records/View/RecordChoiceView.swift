/// The records that a field can refer to, to choose one of them.
struct RecordChoiceView<Item: Record>: View {
    let viewModel: RecordChoiceViewModel<Item>

    private var noun: RecordNoun { viewModel.records.noun }

    var body: Content {
        Title(noun.plural.capitalizingFirst)
        Table(viewModel.rows) {
            idColumn(viewModel.records.idType)
            Column("name") { $0.name }
        }
        if let total = viewModel.total {
            Summary(noun.counted(total), ["total": total])
            if total > viewModel.rows.count {
                Notice(
                    .information, "\(total - viewModel.rows.count) more are not listed, but can be chosen.")
            }
        } else if !viewModel.rows.isEmpty {
            Notice(.information, "More are not listed, but can be chosen.")
        }
        if viewModel.total == 0 {
            Notice(.information, "Add your first \(noun.singular)", hint: viewModel.records.creation)
        }
        if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: viewModel.field.valuesScreen) }
    }

    var actions: [Action] { choice(viewModel.records.idType) }

    private func idColumn<ID: RecordID>(_ type: ID.Type) -> Column<NamedRecord> {
        Column("id") { ID(json: $0.id.json) }
    }

    private func choice<ID: RecordID>(_ type: ID.Type) -> Action {
        Action(
            "choose", "Choose \(noun.withArticle)", effect: .navigates,
            Argument<ID>(
                "id", "The id of the \(noun.singular)", suggestions: viewModel.rows.map(\.id.displayText))
        ) { try await viewModel.choose(RecordKey($0)) }
    }

    func load() async throws { try await viewModel.load() }
}
