public import Observation

/// A list of records that a view model owns: its query, the shown pages and its load state.
///
/// Changes of the list's records are shown at once, marked until the service has answered, and taken back if it
/// refuses them. Changes by other hosts are followed.
@MainActor
public final class RecordList<Item: Record> {
    /// The query of the first page shown.
    public private(set) var query: RecordQuery<Item> {
        get { observedQuery }
        set { observedQuery = newValue }
    }
    @Signalled private var observedQuery: RecordQuery<Item>
    /// The requested page size; nil for the size that fits the viewport.
    private var size: Int?
    private var restoredPages = 1
    private let viewport: ViewportMonitor?
    let listing: RecordListing<Item>
    let model: RecordModel<Item>

    /// Creates a list; without a size in the destination, a page has as many records as fit the viewport.
    public init(
        _ destination: RecordListDestination<Item> = RecordListDestination(), model: RecordModel<Item>,
        viewport: ViewportMonitor? = nil
    ) {
        self.viewport = viewport
        self.model = model
        size = destination.size
        observedQuery = destination.query(fitting: Self.fittingSize(viewport))
        listing = RecordListing(model: model)
    }

    // MARK: - What is shown

    /// The state of the list; records that were loaded stay during the next load.
    public var state: LoadState<[Item]> { shown.state }
    /// The records of the shown pages, with the changes that are not answered.
    public var rows: [Item] { shown.rows }
    /// The changes that are not answered, by the ids of their records; a record that is being created has an id
    /// that is not ``RecordID/isStoredID``.
    public var pending: [Item.ID: ChangeStatus] { shown.pending }
    /// The number of records on all pages; a lower bound unless ``isTotalKnown``.
    public var total: Int { shown.total }
    /// False if the service does not know how many records there are.
    public var isTotalKnown: Bool { shown.isTotalKnown }
    /// The number of pages of the list.
    public var pageCount: Int { shown.pageCount }
    /// True if there is a page after the shown ones.
    public var hasMore: Bool { shown.hasMore }
    /// The number of the last page shown.
    public var lastPage: Int { shown.lastPage }
    /// The time when the oldest part was seen, if the service could not be reached.
    public var asOf: Timestamp? { shown.asOf }

    /// The records shown, read once: each part alone would copy the pages.
    var shown: ShownRecords<Item> {
        ShownRecords(query, listing.window, model.pending, failure: listing.failure)
    }

    func destination(onPage page: Int) -> RecordListDestination<Item> {
        RecordListDestination(query.onPage(page), size: size)
    }

    // MARK: - Loading

    /// Loads the shown pages again, from the service if `reloads`; on failure what was loaded stays.
    public func load(reloads: Bool = false) async throws {
        try await show(fitted(query), pages: pages, inPagesOf: size, reloads: reloads)
    }

    /// Shows another list; on failure the list stays as it was.
    public func show(_ destination: RecordListDestination<Item>, reloads: Bool = false) async throws {
        try await show(
            destination.query(fitting: Self.fittingSize(viewport)), inPagesOf: destination.size,
            reloads: reloads)
    }

    /// Shows one page more.
    public func more() async throws {
        guard hasMore else { throw ServiceError.noPageAfter(lastPage) }
        try await listing.loadNextPage()
    }

    /// Shows the page after the shown ones.
    public func next() async throws {
        guard hasMore else { throw ServiceError.noPageAfter(lastPage) }
        try await turn(to: lastPage + 1)
    }

    /// Shows the page before the shown ones; after the end of the list, its last page.
    public func previous() async throws {
        guard query.page > 1 else { throw ServiceError.noPageBeforeFirst }
        try await turn(to: shown.end ?? query.page - 1)
    }

    /// Shows another page of the list.
    public func jump(to page: Int) async throws { try await turn(to: page) }

    /// Shows only the records with a value of a field, from the first page.
    public func show(only value: String, of field: String) async throws {
        var query = query
        query.page = 1
        query.filters[field] = value
        try await show(query, inPagesOf: size)
    }

    private func turn(to page: Int) async throws { try await show(query.onPage(page), inPagesOf: size) }

    private func show(
        _ query: RecordQuery<Item>, pages: Int = 1, inPagesOf size: Int?, reloads: Bool = false
    ) async throws {
        try await listing.show(query, pages: pages, reloads: reloads)
        (self.query, self.size, restoredPages) = (query, size, 1)
    }

    // MARK: - The size of a page

    private static func fittingSize(_ viewport: ViewportMonitor?) -> Int {
        viewport.map { RecordQuery<Item>.size(fitting: $0.current) } ?? 20
    }

    /// The number of pages of the fitting size shown.
    private var pages: Int {
        guard let window = listing.window else { return restoredPages }
        let fitted = fitted(query)
        guard window.pageCount > 1, fitted.size != window.query.size else { return window.pageCount }
        return max(1, (window.rows.count + fitted.size - 1) / fitted.size)
    }

    /// `query` with the fitting page size, unless a size was requested.
    private func fitted(_ query: RecordQuery<Item>) -> RecordQuery<Item> {
        let fitting = Self.fittingSize(viewport)
        return size == nil && query.size != fitting ? query.inPages(of: fitting) : query
    }

    /// Shows as many records as fit the viewport, starting with the same one; call it when the viewport changes.
    ///
    /// Does nothing during a load; a failure appears when the list is next shown.
    public func fit() async {
        // The viewport may change again during a load.
        while !listing.isLoading, fitted(query) != query, listing.window != nil {
            do { try await load() } catch { return }
        }
    }
}

extension RecordList: Observable {}

extension RecordList {
    /// The query and the number of pages shown, for a view model's saved state.
    public var savedState: RecordListState<Item> {
        RecordListState(query: query, fits: size == nil, pages: listing.window?.pageCount ?? restoredPages)
    }

    /// Sets what the next load shows.
    public func restore(_ state: RecordListState<Item>) {
        query = state.query
        size = state.fits ? nil : state.query.size
        restoredPages = state.pages
    }
}

/// A list as a screen shows it.
struct ShownRecords<Item: Record> {
    let query: RecordQuery<Item>
    let state: LoadState<[Item]>
    let rows: [Item]
    let pending: [Item.ID: ChangeStatus]
    let total, pageCount, lastPage: Int
    let hasMore, isTotalKnown: Bool
    let asOf: Timestamp?
    /// The number of the list's last page, if the shown one is after it.
    let end: Int?

    init(
        _ query: RecordQuery<Item>, _ window: RecordWindow<Item>?, _ changes: [PendingChange<Item>],
        failure: LoadFailure?
    ) {
        let size = max(1, query.size)
        self.query = query
        if changes.isEmpty {
            (rows, pending, total) = (window?.rows ?? [], [:], window?.total ?? 0)
        } else {
            let shown = window?.rows(during: changes) ?? []
            rows = shown.map(\.record)
            pending = Dictionary(shown.compactMap { row in row.status.map { (row.id, $0) } }) { first, _ in
                first
            }
            total = window?.total(during: changes) ?? 0
        }
        pageCount = max(1, total.addingClamped(size - 1) / size)
        lastPage = window?.lastPage ?? query.page
        hasMore = window?.hasMore ?? false && !rows.isEmpty
        isTotalKnown = window?.isTotalKnown ?? true
        asOf = window?.asOf
        end = rows.isEmpty && total > 0 && query.offset >= total ? pageCount : nil
        if window == nil {
            state = failure.map { .failed($0) } ?? .loading
        } else {
            state = rows.isEmpty && (total == 0 || end != nil) ? .empty : .content(rows)
        }
    }
}

/// The part of a list's state kept by its stack entry: the query and the number of pages shown.
public struct RecordListState<Item: Record>: Codable, Hashable, Sendable {
    let query: RecordQuery<Item>
    let fits: Bool
    let pages: Int

    /// The maximum number of pages read at once when the list is shown again.
    private static var maximumPages: Int { 100 }

    init(query: RecordQuery<Item>, fits: Bool, pages: Int = 1) {
        self.query = query
        self.fits = fits
        self.pages = min(max(1, pages), Self.maximumPages)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: JSONKey.self)
        self.init(
            query: try RecordQuery(from: decoder),
            fits: try container.decodeIfPresent(Bool.self, forKey: "fitsRoom") ?? false,
            pages: try container.decodeIfPresent(Int.self, forKey: "pages") ?? 1)
    }

    public func encode(to encoder: any Encoder) throws {
        try query.encode(to: encoder)
        var container = encoder.container(keyedBy: JSONKey.self)
        try container.encode(fits, forKey: "fitsRoom")
        if pages > 1 { try container.encode(pages, forKey: "pages") }
    }
}
