import AtriumKit
import Observation

/// A list of entities: the shown pages, and creating an entity.
@MainActor
@Observable
final class EntityListViewModel: ViewModel {
    static let createdEntity = ResultSlot<Int>("createdEntity")
    static let chosenCategory = ResultSlot<String>("chosenCategory")
    private(set) var query: EntityQuery
    /// The last entity created in the form, until another list is shown.
    private var created: Entity?
    /// The requested page size; nil for the size that fits the viewport.
    private var size: Int?
    private var restoredPages = 1

    let model: EntityModel
    let transfers = EntityTransfers()
    private let listing: EntityListing
    private let navigator: any Navigator
    private let viewport: ViewportMonitor

    init(
        destination: EntityList, model: EntityModel, navigator: any Navigator, viewport: ViewportMonitor
    ) {
        query = destination.query(fitting: EntityQuery.size(fitting: viewport.current))
        size = destination.size
        self.model = model
        listing = EntityListing(model: model)
        self.navigator = navigator
        self.viewport = viewport
    }

    /// The state of the list; loaded rows stay during the next load.
    var state: LoadState<[EntityRow]> {
        guard listing.window != nil else { return listing.failure.map { .failed($0) } ?? .loading }
        return rows.isEmpty && (total == 0 || end != nil) ? .empty : .content(rows)
    }

    var end: Int? {
        guard rows.isEmpty, total > 0, query.offset >= total else { return nil }
        return (total + query.size - 1) / query.size
    }

    var rows: [EntityRow] { listing.rows }
    var total: Int { listing.total }
    var pageCount: Int { max(1, (total + query.size - 1) / query.size) }
    var hasMore: Bool { listing.hasMore && !rows.isEmpty }
    var lastPage: Int { listing.window?.lastPage ?? query.page }
    /// The last page, if the list shows more than one.
    var furtherPage: Int? { lastPage > query.page ? lastPage : nil }

    var asOf: Timestamp? { listing.window?.asOf }
    var caches: [(name: String, kept: Int, statistics: CacheStatistics)] { model.repository.caches }

    /// The last change, if it failed after its command was cancelled.
    var failure: FailedChange? { model.failure.flatMap { $0.wasAwaited ? nil : $0 } }

    /// The entity created in the form, if the page does not show it.
    var createdElsewhere: Entity? {
        created.flatMap { created in rows.contains { $0.id == created.id } ? nil : created }
    }

    func destination(onPage page: Int) -> EntityList { EntityList(query.onPage(page), size: size) }

    func load() async throws { try await load(reloads: false) }

    func list(_ destination: EntityList, reloads: Bool = false) async throws -> ActionResult {
        try await show(
            destination.query(fitting: fittingSize), inPagesOf: destination.size, reloads: reloads)
        created = nil
        return .updated
    }

    func refresh() async throws -> ActionResult {
        try await load(reloads: true)
        return .updated
    }

    func more() async throws -> ActionResult {
        guard hasMore else { throw ServiceError.noPageAfter(lastPage) }
        try await listing.loadNextPage()
        return .updated
    }

    func next() async throws -> ActionResult {
        guard hasMore else { throw ServiceError.noPageAfter(lastPage) }
        return try await turn(to: lastPage + 1)
    }

    /// Shows the page before the shown ones; after the end of the list, its last page.
    func previous() async throws -> ActionResult {
        guard query.page > 1 else { throw ServiceError.noPageBeforeFirst }
        return try await turn(to: end ?? query.page - 1)
    }

    func create(name: String, category: String?, notes: String?) async throws -> ActionResult {
        let draft = EntityDraft(name: name, category: category, notes: notes)
        do {
            let entity = try await model.create(draft)
            return .show(EntityDetail(id: entity.id), "Created '\(entity.name)'.")
        } catch let error where error.changeOutcome == .made {
            return .made("Created '\(draft.name)'.", notShown: error)
        }
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

// MARK: - Results of other screens

extension EntityListViewModel {
    func createInForm() async throws -> ActionResult {
        let id = try await navigator.present(NewEntity(), for: Self.createdEntity)
        if let id { try await showCreated(id) }
        return .updated
    }

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
            size: size ?? fittingSize, sort: query.sort, category: category, search: query.search)
        try await show(query, inPagesOf: size)
        created = nil
    }

    private func present(_ entity: Entity) async throws -> Entity? {
        do {
            return try await model.repository.entity(entity.id).value
        } catch let error as ServiceError where error == .notFound(entity.id) {
            return nil
        }
    }
}

// MARK: - The size of a page

extension EntityListViewModel {
    private var fittingSize: Int { EntityQuery.size(fitting: viewport.current) }

    /// The number of pages of the fitting size shown.
    private var pages: Int {
        guard let window = listing.window else { return restoredPages }
        let fitted = fitted(query)
        guard window.pageCount > 1, fitted.size != window.query.size else { return window.pageCount }
        return max(1, (window.rows.count + fitted.size - 1) / fitted.size)
    }

    /// `query` with the fitting page size, unless a size was requested.
    private func fitted(_ query: EntityQuery) -> EntityQuery {
        size == nil && query.size != fittingSize ? query.inPages(of: fittingSize) : query
    }

    /// Shows as many entities as fit, starting with the same one.
    ///
    /// Does nothing during a load; a failure appears when the list is next shown.
    func fitToViewport() async {
        // The viewport may change again during a load.
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

    var shownDestination: (any Destination)? { destination(onPage: query.page) }
}
