import AtriumKit
import Observation

/// A list of entities: which pages of which list are shown, and creating one more.
@MainActor
@Observable
final class EntityListViewModel: ViewModel {
    /// Where the id of an entity arrives that the form created.
    static let createdEntity = ResultSlot<Int>("createdEntity")
    /// Where the category arrives that was chosen.
    static let chosenCategory = ResultSlot<String>("chosenCategory")

    /// What is listed, from its page on; kept with the stack entry.
    private(set) var query: EntityQuery
    /// What the form created last, until another list is shown.
    private var created: Entity?
    /// How many entities a page is to have; nil for as many as there is room for.
    private var size: Int?
    /// How many pages were shown in an earlier process.
    private var restoredPages = 1

    let model: EntityModel
    let transfers = EntityTransfers()
    private let listing: EntityListing
    private let navigator: any Navigator
    private let viewport: ViewportMonitor

    init(place: EntityList, model: EntityModel, navigator: any Navigator, viewport: ViewportMonitor) {
        query = place.query(fitting: EntityQuery.size(fitting: viewport.current))
        size = place.size
        self.model = model
        listing = EntityListing(model: model)
        self.navigator = navigator
        self.viewport = viewport
    }

    /// Where the loading of the list is; what was read stays while it is read again.
    var state: LoadState<[EntityRow]> {
        guard listing.window != nil else { return listing.failure.map { .failed($0) } ?? .loading }
        return emptiness == nil ? .content(rows) : .empty
    }

    /// Why there is nothing to list; nil where there is something, or nothing was read yet.
    var emptiness: EntityListEmptiness? { EntityListEmptiness(listing) }

    /// The entities that are shown.
    var rows: [EntityRow] { listing.rows }

    /// How many entities the whole list has.
    var total: Int { listing.total }

    /// Whether there are entities behind those that are shown.
    var hasMore: Bool { listing.hasMore && !rows.isEmpty }

    /// The number of the last page that is shown.
    var lastPage: Int { listing.window?.lastPage ?? query.page }

    /// When what is shown was last seen at the service, where that can't be asked now.
    var asOf: Timestamp? { listing.window?.asOf }

    /// Why the last change failed, where nobody waited for it any more.
    var failure: FailedChange? { model.failure.flatMap { $0.wasAwaited ? nil : $0 } }

    /// What was created just now, where the page does not show it.
    var createdElsewhere: Entity? {
        created.flatMap { created in rows.contains { $0.id == created.id } ? nil : created }
    }

    /// The place that lists another page.
    func place(onPage page: Int) -> EntityList {
        EntityList(query.onPage(page), size: size)
    }

    func load() async throws {
        try await load(reloads: false)
    }

    /// Shows another list.
    ///
    /// - Parameters:
    ///   - place: Which list.
    ///   - reloads: Whether the service is asked although the list is kept.
    /// - Returns: The list as it is then.
    /// - Throws: ``ValidationError`` where the query breaks a rule; the list stays as it is.
    func list(_ place: EntityList, reloads: Bool = false) async throws -> ActionResult {
        try await show(place.query(fitting: room), inPagesOf: place.size, reloads: reloads)
        created = nil
        return .updated
    }

    /// Asks the service for what is shown, whatever is kept.
    func refresh() async throws -> ActionResult {
        try await load(reloads: true)
        return .updated
    }

    /// Shows one page more below those that are shown.
    func more() async throws -> ActionResult {
        guard hasMore else { throw EntityError.noPageAfter(lastPage) }
        try await listing.loadNextPage()
        return .updated
    }

    /// Shows the page after those that are shown, alone.
    func next() async throws -> ActionResult {
        guard hasMore else { throw EntityError.noPageAfter(lastPage) }
        return try await turn(to: lastPage + 1)
    }

    /// Shows the page before those that are shown; past the end, the last page that there is.
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
        let entity = try await model.create(draft)
        return .show(EntityDetail(id: entity.id), "Created '\(entity.name)'.")
    }

    private func turn(to page: Int) async throws -> ActionResult {
        try await show(query.onPage(page), inPagesOf: size)
        created = nil
        return .updated
    }

    private func load(reloads: Bool) async throws {
        try await show(fitted(query), pages: pages, inPagesOf: size, reloads: reloads)
        if let created { self.created = try await present(created) }
    }

    private func show(
        _ query: EntityQuery, pages: Int = 1, inPagesOf size: Int?, reloads: Bool = false
    ) async throws {
        try await listing.show(query, pages: pages, reloads: reloads)
        self.query = query
        self.size = size
        restoredPages = 1
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
        try await load(reloads: false)
        created = try await model.repository.entity(id).value
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
            return try await model.repository.entity(entity.id).value
        } catch let error as EntityError where error == .notFound(entity.id) {
            return nil
        }
    }
}

// MARK: - The room for a page

extension EntityListViewModel {
    private var room: Int { EntityQuery.size(fitting: viewport.current) }

    /// How many pages are shown, counted in pages that fit.
    private var pages: Int {
        guard let window = listing.window else { return restoredPages }
        let fitted = fitted(query)
        guard window.pageCount > 1, fitted.size != window.query.size else { return window.pageCount }
        return max(1, (window.rows.count + fitted.size - 1) / fitted.size)
    }

    /// `query` in pages for which there is room, unless their size was asked for.
    private func fitted(_ query: EntityQuery) -> EntityQuery {
        size == nil && query.size != room ? query.inPages(of: room) : query
    }

    /// Shows as many entities as there is room for now, with the first one still in view.
    ///
    /// What is being read is not disturbed, and what fails is told when the list is shown next.
    func fitToViewport() async {
        // By the time that the list is there, the room may be another one again.
        while !listing.isLoading, fitted(query) != query, listing.window != nil {
            do { try await load() } catch { return }
        }
    }
}

extension EntityListViewModel {
    var savedState: EntityListPosition {
        EntityListPosition(
            query: query, fitsRoom: size == nil, pages: listing.window?.pageCount ?? restoredPages)
    }

    func restore(_ state: EntityListPosition) {
        query = state.query
        size = state.fitsRoom ? nil : state.query.size
        restoredPages = state.pages
    }

    var shownDestination: (any Destination)? { place(onPage: query.page) }
}
