import AtriumKit

/// Lists entities, a page at a time.
struct EntityListView: View {
    let viewModel: EntityListViewModel

    var body: Content {
        Title("Entities")
        Loadable(viewModel.state, empty: nothing, retry: EntityList.pattern.description) { rows in
            EntityTable(rows: rows)
        }
        // Programs find a list in each state.
        if viewModel.state.value == nil { Verbatim("rows", [], value: .array([])) }
        Field("page", viewModel.query.page)
        if viewModel.lastPage > viewModel.query.page {
            Field("lastPage", label: "To page", viewModel.lastPage)
        }
        Field("size", viewModel.query.size)
        Field("total", viewModel.total)
        Field("hasMore", label: "More", viewModel.hasMore)
        Field("sort", viewModel.query.sort.rawValue)
        if let category = viewModel.query.category { Field("category", category) }
        if let search = viewModel.query.search { Field("search", search) }
        if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: "entities refresh") }
        if let transfer = viewModel.transfer { transfer.progress }
        if let failure = viewModel.failure {
            Notice(.problem, failure.message, hint: failure.reason.hint)
        }
        if let created = viewModel.createdElsewhere {
            Notice(.information, "'\(created.name)' is not on this page.", hint: "entities/\(created.id)")
        }
    }

    /// What is said where there is nothing to list.
    private var nothing: Notice {
        switch viewModel.emptiness {
        case .noMatches: Notice(.information, noMatches, hint: "entities")
        case .pastEnd(let pages):
            Notice(.information, "The list ends with page \(pages).", hint: link(to: pages))
        case .noEntities, nil:
            Notice(.information, "Add your first entity", hint: "entities create --name NAME")
        }
    }

    private var noMatches: String {
        switch (viewModel.query.category, viewModel.query.search) {
        case (let category?, let search?): "No entity in category '\(category)' matches '\(search)'."
        case (let category?, nil): "No entity is in category '\(category)'."
        default: "No entity matches '\(viewModel.query.search ?? "")'."
        }
    }

    private func link(to page: Int) -> String {
        (try? viewModel.place(onPage: page).link().description) ?? EntityList.pattern.description
    }

    var actions: [Action] {
        Action(
            "list", "Shows another list; what is not given has its default", effect: .reads,
            loadsFirst: false,
            Argument<Int>("page", "The page, from 1", default: 1),
            Argument<Int?>("size", "How many on a page, at most 500; as many as fit unless given"),
            Argument<EntitySort>("sort", "The order", default: .name),
            Argument<String?>("category", "Only this category, in any case"),
            Argument<String?>("search", "Only with this text in name, category or notes, in any case"),
            Argument("refresh", "Asks the service, whatever is kept", default: false)
        ) { page, size, sort, category, search, refresh in
            try await viewModel.list(
                EntityList(page: page, size: size, sort: sort, category: category, search: search),
                reloads: refresh)
        }
        Action("next", "Shows the next page", effect: .reads) { try await viewModel.next() }
        Action("previous", "Shows the page before", effect: .reads) { try await viewModel.previous() }
        Action("more", "Shows the next page below", effect: .reads) { try await viewModel.more() }
        Action("refresh", "Asks the service again", effect: .reads) { try await viewModel.refresh() }
        Action(
            "create", "Creates an entity", loadsFirst: false,
            Argument<String>("name", "Its name, at most 200 characters"),
            Argument<String?>("category", "Its category"), Argument<String?>("notes", "Its notes")
        ) { name, category, notes in
            try await settling {
                try await viewModel.create(name: name, category: category, notes: notes)
            }
        }
        Action("new", "Fills in the form for a new entity", effect: .navigates) {
            try await viewModel.createInForm()
        }
        Action("filter", "Lists a category that is chosen from all", effect: .navigates) {
            try await viewModel.filter()
        }
        Action(
            "delete", "Deletes entities by their ids", effect: .destroys, loadsFirst: false,
            Argument<[String]>("ids", "Which")
        ) { ids in
            try await viewModel.delete(ids: ids)
        }
        Action(
            "delete-all", "Deletes all entities that the list has, on all pages", effect: .destroys,
            asking: viewModel.deletionQuestion
        ) {
            try await viewModel.deleteAll()
        }
        Action(
            "import", "Creates an entity for each row of a file, or none", loadsFirst: false,
            Argument<String>("file", "Its path"),
            Argument<EntityFile.Format?>("format", "Its format; told by its name unless given")
        ) { file, format in
            try await viewModel.importFile(file, format: format)
        }
        Action(
            "export", "Writes every entity into a file", effect: .reads,
            Argument<String>("file", "Its path"),
            Argument<EntityFile.Format?>("format", "Its format; told by its name unless given"),
            Argument("replace", "Replaces a file that is there", default: false)
        ) { file, format, replace in
            try await viewModel.exportFile(file, format: format, replaces: replace)
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}

/// The rows of a list; notes are for programs.
///
/// What is happening to an entity stands beside it, where something is.
struct EntityTable: View {
    let rows: [EntityRow]

    var body: Content {
        Table(rows) {
            Column("id") { $0.knownID }
            Column("name") { $0.entity.name }
            Column("category") { $0.entity.category }
            Column("notes", isHidden: true) { $0.entity.notes }
            Column("createdAt", label: "Created") { $0.entity.createdAt }
            if rows.contains(where: { $0.mark != nil }) {
                Column("pending") { $0.mark?.rawValue }
            }
        }
    }
}

extension EntitySort: ArgumentValue {}
extension EntityFile.Format: ArgumentValue {}
