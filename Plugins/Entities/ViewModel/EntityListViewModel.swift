import AtriumKit
import Observation

/// A list of entities: which page of which list is shown, and creating one more.
@MainActor
@Observable
final class EntityListViewModel: ViewModel {
    /// Where the id of an entity arrives that the form created.
    static let createdEntity = ResultSlot<Int>("createdEntity")
    /// Where the category arrives that was chosen.
    static let chosenCategory = ResultSlot<String>("chosenCategory")

    /// What is listed; kept with the stack entry.
    private(set) var query: EntityQuery
    /// The page that was read last, also where nothing is on it; nil before one was.
    private var page: EntityPage?
    /// Why the first page could not be read.
    private var failure: LoadFailure?
    /// What the form created last, until another list is shown.
    private var created: Entity?
    /// How many entities a page is to have; nil for as many as there is room for.
    private var size: Int?
    /// How many pages are being read.
    private var reads = 0

    private let repository: EntityRepository
    private let navigator: any Navigator
    private let viewport: ViewportMonitor

    init(
        place: EntityList, repository: EntityRepository, navigator: any Navigator, viewport: ViewportMonitor
    ) {
        query = place.query(fitting: EntityQuery.size(fitting: viewport.current))
        size = place.size
        self.repository = repository
        self.navigator = navigator
        self.viewport = viewport
    }

    /// Where the loading of the page is.
    var state: LoadState<EntityPage> {
        if let page { return page.rows.isEmpty ? .empty : .content(page) }
        return failure.map { .failed($0) } ?? .loading
    }

    /// Why there is nothing to list; nil where there is something, or nothing was read yet.
    var emptiness: EntityListEmptiness? { page.flatMap { EntityListEmptiness($0) } }

    /// The entities of the page.
    var rows: [Entity] { page?.rows ?? [] }

    /// How many entities the whole list has.
    var total: Int { page?.total ?? 0 }

    /// Whether there are entities after the page.
    var hasMore: Bool { page?.hasMore == true }

    /// What was created just now, where the page does not show it.
    var createdElsewhere: Entity? {
        created.flatMap { created in rows.contains { $0.id == created.id } ? nil : created }
    }

    /// The place that lists another page.
    func place(onPage page: Int) -> EntityList {
        EntityList(query.onPage(page), size: size)
    }

    func load() async throws {
        try await show(fitted(query), inPagesOf: size)
        if let created { self.created = try await present(created) }
    }

    /// Shows another list.
    ///
    /// - Throws: ``ValidationError`` where the query breaks a rule; the list stays as it is.
    func list(_ place: EntityList) async throws -> ActionResult {
        try await show(place.query(fitting: room), inPagesOf: place.size)
        created = nil
        return .updated
    }

    /// Shows the page after this one.
    func next() async throws -> ActionResult {
        guard hasMore else { throw EntityError.noPageAfter(query.page) }
        return try await turn(to: query.page + 1)
    }

    /// Shows the page before this one; past the end, the last page that there is.
    func previous() async throws -> ActionResult {
        guard query.page > 1 else { throw EntityError.noPageBeforeFirst }
        if case .pastEnd(let pages) = emptiness { return try await turn(to: pages) }
        return try await turn(to: query.page - 1)
    }

    /// Creates an entity and shows it.
    ///
    /// - Throws: ``ValidationError`` with every rule that is broken; nothing is created.
    func create(name: String, category: String?, notes: String?) async throws -> ActionResult {
        let draft = EntityDraft(name: name, category: category, notes: notes)
        try ValidationError.check(draft.validate())
        let entity = try await repository.create(draft)
        return .show(EntityDetail(id: entity.id), "Created '\(entity.name)'.")
    }

    private func turn(to page: Int) async throws -> ActionResult {
        try await show(query.onPage(page), inPagesOf: size)
        created = nil
        return .updated
    }

    private func show(_ query: EntityQuery, inPagesOf size: Int?) async throws {
        reads += 1
        defer { reads -= 1 }
        do {
            let page = try await repository.page(query)
            self.query = query
            self.size = size
            self.page = page
            failure = nil
        } catch {
            if page == nil { failure = LoadFailure(error) }
            throw error
        }
    }
}

// MARK: - What other screens return

extension EntityListViewModel {
    /// Presents the form for a new entity, and lists what it created.
    func createInForm() async throws -> ActionResult {
        let id = try await navigator.present(NewEntity(), for: Self.createdEntity)
        if let id { try await showCreated(id) }
        return .updated
    }

    /// Lists a category that is chosen from all; stays as it is where none was.
    func filter() async throws -> ActionResult {
        let category = try await navigator.present(CategoryPicker(), for: Self.chosenCategory)
        if let category { try await show(category: category) }
        return .updated
    }

    func receive(_ result: ReturnedResult) async throws {
        if let id = try result.value(in: Self.createdEntity) { try await showCreated(id) }
        if let category = try result.value(in: Self.chosenCategory) { try await show(category: category) }
    }

    private func showCreated(_ id: Int) async throws {
        try await show(fitted(query), inPagesOf: size)
        created = try await repository.entity(id)
    }

    private func show(category: String) async throws {
        let query = EntityQuery(
            size: size ?? room, sort: query.sort, category: category, search: query.search)
        try await show(query, inPagesOf: size)
        created = nil
    }

    /// An entity as it is now; nil where it is gone.
    private func present(_ entity: Entity) async throws -> Entity? {
        do {
            return try await repository.entity(entity.id)
        } catch let error as EntityError where error == .notFound(entity.id) {
            return nil
        }
    }
}

// MARK: - The room for a page

extension EntityListViewModel {
    private var room: Int { EntityQuery.size(fitting: viewport.current) }

    /// `query` in pages for which there is room, unless their size was asked for.
    private func fitted(_ query: EntityQuery) -> EntityQuery {
        size == nil && query.size != room ? query.inPages(of: room) : query
    }

    /// Shows as many entities as there is room for now, with the first one still in view.
    ///
    /// What is being read is not disturbed, and what fails is told when the list is shown next.
    func fitToViewport() async {
        guard reads == 0, page != nil, fitted(query) != query else { return }
        try? await load()
    }
}

extension EntityListViewModel {
    var savedState: EntityListPosition { EntityListPosition(query: query, fitsRoom: size == nil) }

    func restore(_ state: EntityListPosition) {
        query = state.query
        size = state.fitsRoom ? nil : state.query.size
    }

    var shownDestination: (any Destination)? { place(onPage: query.page) }
}
