/// The values of a field, to choose one of them.
struct RecordValuesView<Item: Record>: View {
    let viewModel: RecordValuesViewModel<Item>

    private var noun: RecordNoun { RecordNoun(viewModel.field.label.lowercased()) }

    var body: Content {
        Title(noun.plural.capitalizingFirst)
        Table(viewModel.rows) {
            Column("name") { $0.name }
            Column("count", label: Item.fields.noun.plural.capitalizingFirst) { $0.count }
        }
        if let total = viewModel.list?.total {
            Summary(total == 0 ? nil : noun.counted(total), ["total": total])
        }
        if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: viewModel.field.valuesScreen) }
        if viewModel.list?.total == 0 {
            Notice(
                .information, "No \(Item.fields.noun.singular) has a \(noun.singular).",
                hint: "\(Item.link) create\(Item.firstArgument) --\(viewModel.field.name) "
                    + viewModel.field.name.uppercased())
        }
        if viewModel.unlisted > 0 {
            Notice(.information, "\(viewModel.unlisted) more are not listed, but can be chosen.")
        }
    }

    var actions: [Action] {
        Action(
            "choose", "Choose \(noun.withArticle)", effect: .navigates,
            Argument<String>(
                viewModel.field.name,
                "The \(noun.singular)\(viewModel.field.choices.isEmpty ? ", in any case" : "")",
                suggestions: viewModel.rows.map(\.name))
        ) { try await viewModel.choose($0) }
    }

    func load() async throws { try await viewModel.load() }
}
