public import Observation

/// A list of records that a view model owns: its query, its page and its load state.
@MainActor
@Observable
public final class RecordList<Item: Record> {
    public private(set) var query: RecordQuery<Item>
    /// The state of the shown page; its records stay while another one is loaded.
    public private(set) var state = LoadState<[Item]>.loading
    /// The number of records on all pages.
    public private(set) var total = 0

    @ObservationIgnored private let repository: RecordRepository<Item>
    @ObservationIgnored private var loads = 0

    /// Creates a list, which loads again after each change of the repository's records.
    public init(_ query: RecordQuery<Item> = RecordQuery(), repository: RecordRepository<Item>) {
        self.query = query
        self.repository = repository
        repository.changes.reload(self) { try await $0.load() }
    }

    /// The records of the page.
    public var rows: [Item] { state.value ?? [] }
    /// The number of the last page.
    public var lastPage: Int { max(1, (total.addingClamped(query.size - 1)) / query.size) }
    /// True if there is a page after the shown one.
    public var hasMore: Bool { query.page < lastPage }

    /// Sets what the next load shows.
    func prepare(_ query: RecordQuery<Item>) { self.query = query }

    /// Loads the page again; on failure a page that was loaded stays.
    public func load() async throws { try await show(query) }

    /// Shows another page, order, search or filter; on failure the list stays as it was.
    public func show(_ query: RecordQuery<Item>) async throws {
        loads += 1
        let load = loads
        do {
            let page = try await repository.page(query)
            // A later load has the newer answer.
            guard load == loads else { return }
            (self.query, total, state) = (query, page.total, LoadState(page.rows))
        } catch {
            if load == loads, state.isLoading || state.failure != nil { state = .failed(LoadFailure(error)) }
            throw error
        }
    }

    /// Shows the page `count` after the shown one; before it if `count` is negative.
    public func turn(by count: Int) async throws {
        var query = query
        query.page = count < 0 ? min(query.page, lastPage + 1) + count : query.page + count
        guard query.page >= 1 else { throw ServiceError.noPage("The first page is shown.", link: Item.link) }
        guard query.page <= lastPage else {
            throw ServiceError.noPage("The list ends with page \(lastPage).", link: Item.link)
        }
        try await show(query)
    }
}

extension ServiceError {
    fileprivate static func noPage(_ message: String, link: String) -> ServiceError {
        ServiceError("noPage", message, hint: link)
    }
}
