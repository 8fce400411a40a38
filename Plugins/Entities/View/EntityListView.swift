import AtriumKit

struct EntityListView: View {
    let viewModel: EntityListViewModel

    var body: Content {
        Title("Entities")
        Loadable(viewModel.state, empty: nothing, retry: EntityList.pattern.description) { rows in
            EntityTable(rows: rows)
        }
        // Programs get a list in every state.
        if viewModel.state.value == nil { Verbatim("rows", [], value: .array([])) }
        EntityListSummary(
            query: viewModel.query, furtherPage: viewModel.furtherPage, total: viewModel.total,
            pageCount: viewModel.pageCount,
            hasMore: viewModel.hasMore, isShown: viewModel.state.value != nil)
        if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: "entities refresh") }
        if let transfer = viewModel.transfer { transfer }
        if let failure = viewModel.failure {
            Notice(.problem, failure.message, hint: failure.reason.hint)
        }
        if let created = viewModel.createdElsewhere {
            Notice(.information, "'\(created.name)' is not on this page.", hint: "entities/\(created.id)")
        }
    }

    private var nothing: Notice {
        if let end = viewModel.end {
            Notice(.information, "The list ends with page \(end).", hint: link(to: end))
        } else if viewModel.query.isFiltered {
            Notice(.information, noMatches, hint: "entities")
        } else {
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
        (try? viewModel.destination(onPage: page).link().description) ?? EntityList.pattern.description
    }

    var actions: [Action] {
        Action(
            "list", "Show another list", effect: .reads,
            loadsFirst: false,
            Argument<Int>("page", "The page, from 1", default: 1),
            Argument<Int?>("size", "Rows of a page, at most 500; as many as fit by default"),
            Argument<EntitySort>("sort", "The order", default: .name),
            Argument<String?>("category", "Only this category, in any case"),
            Argument<String?>("search", "Only with this text in name, category or notes, in any case"),
            Argument("refresh", "Load the list from the service, even if it is cached", default: false)
        ) { page, size, sort, category, search, refresh in
            try await viewModel.list(
                EntityList(page: page, size: size, sort: sort, category: category, search: search),
                reloads: refresh)
        }
        Action("next", "Show the next page", effect: .reads) { try await viewModel.next() }
        Action("previous", "Show the previous page", effect: .reads) { try await viewModel.previous() }
        Action("more", "Show one page more", effect: .reads) { try await viewModel.more() }
        Action("refresh", "Load the list again from the service", effect: .reads) {
            try await viewModel.refresh()
        }
        Action(
            "create", "Create an entity", loadsFirst: false,
            Argument<String>("name", "Its name, at most 200 characters"),
            Argument<String?>("category", "Its category"), Argument<String?>("notes", "Its notes")
        ) { name, category, notes in
            try await reportingCancellation {
                try await viewModel.create(name: name, category: category, notes: notes)
            }
        }
        Action("new", "Open the form for a new entity", effect: .navigates) {
            try await viewModel.createInForm()
        }
        Action("filter", "Choose a category to list", effect: .navigates) {
            try await viewModel.filter()
        }
        Action(
            "delete", "Delete entities by id", effect: .destroys, loadsFirst: false,
            Argument<[String]>("ids", "Their ids")
        ) { ids in
            try await viewModel.delete(ids: ids)
        }
        Action(
            "delete-all", "Delete all entities of the list, on all pages", effect: .destroys,
            asking: viewModel.deletionQuestion
        ) {
            try await viewModel.deleteAll()
        }
        Action(
            "import", "Create an entity for each row of a file, or none", loadsFirst: false,
            Argument<InputFile>("file", "Its path; '-' for standard input"),
            Argument<EntityFile.Format?>("format", "Its format; by default its name tells")
        ) { file, format in
            try await viewModel.importFile(file.path, format: format)
        }
        Action(
            "export", "Write every entity into a file", effect: .changes,
            Argument<OutputFile>("file", "Its path; '-' for standard output"),
            Argument<EntityFile.Format?>("format", "Its format; by default its name tells"),
            Argument("replace", "Replace an existing file", default: false)
        ) { file, format, replace in
            try await viewModel.exportFile(file.path, format: format, replaces: replace)
        }
        Action("cache", "Show what is cached, and how often it was used", effect: .reads, loadsFirst: false) {
            .content(CacheTable(viewModel: viewModel).body)
        }
    }

    func load() async throws { try await viewModel.load() }
}

/// The rows of a list, with pending changes; notes are for programs.
struct EntityTable: View {
    let rows: [EntityRow]

    var body: Content {
        Table(rows) {
            Column("id") { $0.knownID }
            Column("name") { $0.entity.name }
            Column("category") { $0.entity.category }
            Column("notes", isHidden: true) { $0.entity.notes }
            Column("createdAt", label: "Created") { $0.entity.createdAt }
            if rows.contains(where: { $0.status != nil }) {
                Column("pending") { $0.status?.rawValue }
            }
        }
    }
}

struct CacheTable: View {
    let viewModel: EntityListViewModel

    var body: Content {
        Title("Cache")
        Table(viewModel.caches) {
            Column("cache") { $0.name }
            Column("kept") { $0.kept }
            Column("hits") { $0.statistics.hits }
            Column("fetches") { $0.statistics.misses }
            Column("joined") { $0.statistics.joins }
            Column("dropped") { $0.statistics.invalidations }
        }
    }
}

extension EntitySort: ArgumentValue {}
extension EntityFile.Format: ArgumentValue {}
