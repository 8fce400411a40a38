/// A list of records, with its actions.
public struct RecordListView<Item: Record>: View {
    let viewModel: RecordListViewModel<Item>
    private let screens: RecordScreens<Item>

    /// Shows a list; `screens` adds columns and actions.
    public init(viewModel: RecordListViewModel<Item>, screens: RecordScreens<Item> = RecordScreens()) {
        self.viewModel = viewModel
        self.screens = screens
    }

    private var list: RecordList<Item> { viewModel.list }

    public var body: Content {
        let shown = list.shown
        Title(Item.fields.noun.plural.capitalizingFirst)
        Loadable(shown.state, empty: nothing(shown), retry: Item.link) { table($0, shown.pending) }
        // Programs get a list in every state.
        if shown.state.value == nil { Verbatim("rows", [], value: .array([])) }
        Summary(shown.state.value == nil ? nil : sentence(shown), members(shown))
        if let asOf = shown.asOf { StaleNotice(asOf: asOf, hint: "\(Item.link) refresh") }
        if let transfer = viewModel.transfer { transfer }
        if let failure = viewModel.failure {
            Notice(.problem, failure.message, hint: failure.reason.hint)
        }
        if let created = viewModel.createdElsewhere(among: shown.rows) {
            Notice(
                .information, "'\(created.recordName)' is not on this page.",
                hint: Item.link(of: created.id))
        }
    }

    private func table(_ rows: [Item], _ pending: [Item.ID: ChangeStatus]) -> Content {
        Table(rows) {
            // A record that is being created has no id yet.
            Column("id") { $0.id.isStoredID ? Item.ID?.some($0.id) : nil }
            Item.fields.all.filter { !$0.traits.isSecret }.map {
                $0.column(viewModel.model.names)
            }
            screens.columns()
            if !pending.isEmpty { Column("pending") { pending[$0.id]?.rawValue } }
        }.content
    }

    private func members(_ shown: ShownRecords<Item>) -> [(key: String, value: any Displayable)] {
        let query = shown.query
        let last = shown.lastPage > query.page ? shown.lastPage : Int?.none
        let paging: [(key: String, value: any Displayable)] = [
            ("page", query.page), ("lastPage", last), ("size", query.size),
            ("total", shown.isTotalKnown ? shown.total : Int?.none),
            ("hasMore", shown.hasMore), ("sort", query.sort?.text(of: Item.self)),
        ]
        return paging + Item.fields.filtered.map { ($0.name, query.filters[$0.name]) }
            + [("search", query.search)]
    }

    /// `3 books with 'lamp' and shelf 'A3', page 1 of 1, by title`.
    private func sentence(_ shown: ShownRecords<Item>) -> String {
        let limits = shown.query.isLimited ? " \(shown.query.conditions)" : ""
        let (first, last) = (shown.query.page, shown.lastPage)
        let pages = last > first ? "pages \(first) to \(last)" : "page \(first)"
        let end = shown.isTotalKnown ? " of \(shown.pageCount)" : ""
        let order = shown.query.sort?.phrase(of: Item.self)
        let count =
            shown.isTotalKnown
            ? Item.fields.noun.counted(shown.total)
            : "more than \(Item.fields.noun.counted(shown.total - 1))"
        return (["\(count)\(limits)", pages + end] + [order].compactMap(\.self))
            .joined(separator: ", ")
    }

    private func nothing(_ shown: ShownRecords<Item>) -> Notice {
        if let end = shown.end {
            let link = (try? list.destination(onPage: end).link().description) ?? Item.link
            return Notice(.information, "The list ends with page \(end).", hint: link)
        }
        if shown.query.isLimited {
            return Notice(
                .information, "There is no \(Item.fields.noun.singular) \(shown.query.conditions).",
                hint: Item.link)
        }
        if Item.isReadOnly { return Notice(.information, "There are no \(Item.fields.noun.plural).") }
        return Notice(
            .information, "Add your first \(Item.fields.noun.singular)",
            hint: "\(Item.link) create\(Item.firstArgument)")
    }

    public var actions: [Action] {
        pagingActions
        if screens.has(.values) {
            Action(
                "filter", "Choose a value to list", effect: .navigates,
                Argument<String>(
                    "field", "Its field", default: Item.fields.filtered.first?.name,
                    choices: Item.fields.filtered.map(\.name))
            ) { try await viewModel.filter($0) }
        }
        if !Item.isReadOnly { changeActions }
        fileActions
        Action("cache", "Show what is cached, and how often it was used", effect: .reads, loadsFirst: false) {
            .content(CacheTable(caches: viewModel.repository.caches).body)
        }
        screens.listActions(viewModel)
    }

    @ListBuilder<Action> private var pagingActions: [Action] {
        Action(
            "list", "Show another list", effect: .reads, loadsFirst: false,
            arguments: Item.fields.listArguments
        ) { values in
            var destination = RecordListDestination<Item>()
            destination.page = try RecordListArguments.page.value(in: values, of: "list")
            destination.size = try RecordListArguments.size.value(in: values, of: "list")
            destination.sort = values["sort"]
            destination.search = values["search"]
            for field in Item.fields.filtered { destination.filters[field.name] = values[field.name] }
            return try await viewModel.show(
                destination, reloads: try RecordListArguments.refresh.value(in: values, of: "list"))
        }
        Action("next", "Show the next page", effect: .reads) { try await viewModel.next() }
        Action("previous", "Show the previous page", effect: .reads) { try await viewModel.previous() }
        Action("jump", "Show another page of this list", effect: .reads, RecordListArguments.jump) {
            try await viewModel.jump(to: $0)
        }
        Action("more", "Show one page more", effect: .reads) { try await viewModel.more() }
        Action("refresh", "Load the list again from the service", effect: .reads) {
            try await viewModel.refresh()
        }
    }

    @ListBuilder<Action> private var changeActions: [Action] {
        Action(
            "create", "Create \(Item.fields.noun.withArticle)", loadsFirst: false,
            arguments: Item.fields.arguments(isNew: true)
        ) { values in
            try await reportingCancellation(of: Item.self) { try await viewModel.create(values) }
        }
        if screens.has(.new) {
            Action("new", "Open the form for a new \(Item.fields.noun.singular)", effect: .navigates) {
                try await viewModel.createInForm()
            }
        }
        Action(
            "delete", "Delete \(Item.fields.noun.plural) by id", effect: .destroys, loadsFirst: false,
            Argument<[String]>("ids", "Their ids")
        ) { try await viewModel.delete(ids: $0) }
        Action(
            "delete-all", "Delete all \(Item.fields.noun.plural) of the list, on all pages",
            effect: .destroys,
            asking: viewModel.deletionQuestion
        ) { try await viewModel.deleteAll() }
    }

    @ListBuilder<Action> private var fileActions: [Action] {
        if !Item.isReadOnly { importAction }
        Action(
            "export", "Write every \(Item.fields.noun.singular) into a file", effect: .changes,
            Argument<OutputFile>("file", "Its path; '-' for standard output"),
            format, Argument("replace", "Replace an existing file", default: false),
            Argument("complete", "With ids, and fields that users can't change", default: false),
            marksFormulas("Mark texts in CSV that a spreadsheet would take for formulas")
        ) {
            try await viewModel.exportFile($0.path, $1, replaces: $2, isComplete: $3, marksFormulas: $4)
        }
    }

    private var importAction: Action {
        Action(
            "import", "Create \(Item.fields.noun.withArticle) for each row of a file, or none",
            loadsFirst: false,
            Argument<InputFile>("file", "Its path; '-' for standard input"), format,
            marksFormulas("Remove the marks of an export with this option")
        ) { try await viewModel.importFile($0.path, $1, marksFormulas: $2) }
    }

    private func marksFormulas(_ summary: String) -> Argument<Bool> {
        Argument("spreadsheet", summary, default: false)
    }

    private var format: Argument<RecordFileFormat?> {
        Argument("format", "Its format; by default its name tells")
    }

    public func load() async throws { try await viewModel.load() }
}

/// The caches of a repository, with their hits.
private struct CacheTable: View {
    let caches: [(name: String, kept: Int, statistics: CacheStatistics)]

    var body: Content {
        Title("Cache")
        Table(caches) {
            Column("cache") { $0.name }
            Column("kept") { $0.kept }
            Column("hits") { $0.statistics.hits }
            Column("fetches") { $0.statistics.misses }
            Column("joined") { $0.statistics.joins }
            Column("dropped") { $0.statistics.invalidations }
        }
    }
}

extension RecordQuery {
    /// `with 'lamp' and shelf 'A3'`.
    var conditions: String {
        let search = search.map { ["'\($0)'"] } ?? []
        let limits = filters.sorted { $0.key < $1.key }.map { name, text in
            let field = Item.fields[name]
            return "\(field?.label.lowercased() ?? name) \(field?.reference == nil ? "'\(text)'" : text)"
        }
        return "with " + (search + limits).joined(separator: " and ")
    }
}
