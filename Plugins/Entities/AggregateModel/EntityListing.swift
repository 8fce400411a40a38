import AtriumKit
import Observation

/// A list of entities as one screen shows it: consecutive pages, with the pending changes laid over them.
///
/// One load is under way at a time. A newer one supersedes it: those who wait for the older one then wait for
/// the newer, and nothing of the older one is shown. A load that fails leaves what is shown as it is.
@MainActor
@Observable
final class EntityListing {
    /// What the service answered; nil until something was read.
    private(set) var window: EntityWindow?
    /// Whether pages are being read.
    private(set) var isLoading = false
    /// Why the last load failed; nil since the next one began.
    private(set) var failure: LoadFailure?

    @ObservationIgnored let model: EntityModel
    @ObservationIgnored private var load: Load?
    @ObservationIgnored private var loads = 0

    /// How often pages are read anew in one load because something changed while they were read.
    static let attempts = 3

    init(model: EntityModel) {
        self.model = model
        model.settled.add(self) { $0.apply($1) }
    }

    // MARK: - What is shown

    /// The entities, in order.
    var rows: [EntityRow] { window?.rows(during: model.pending) ?? [] }

    /// How many entities the whole list has.
    var total: Int { window?.total(during: model.pending) ?? 0 }

    /// Whether there are entities behind the last one that is shown.
    var hasMore: Bool { window?.hasMore ?? false }

    // MARK: - Loading

    /// Shows so many pages of a list from the page of `query` on.
    ///
    /// - Parameters:
    ///   - query: What is listed, and its first page.
    ///   - pages: How many pages are shown, where there are so many.
    ///   - reloads: Whether the service is asked although pages are kept.
    /// - Throws: Why they can't be read; what is shown stays.
    func show(_ query: EntityQuery, pages: Int = 1, reloads: Bool = false) async throws {
        try await follow(begin(Request(query: query, pages: pages, reloads: reloads)))
    }

    /// Brings the pages that are shown up to date.
    ///
    /// Where the next page is being read, it is among them.
    ///
    /// - Throws: Why they can't be read; what is shown stays.
    func loadAll(reloads: Bool = false) async throws {
        guard var request = load?.request ?? window.map(Request.init) else { return }
        (request.reloads, request.continues) = (reloads || request.reloads, false)
        try await follow(begin(request))
    }

    /// Asks the service for the pages that are shown, whatever is kept.
    func refresh() async throws {
        try await loadAll(reloads: true)
    }

    /// Shows one page more; nothing where the list ends, and once where it is asked for twice.
    ///
    /// - Throws: Why it can't be read; what is shown stays.
    func loadNextPage() async throws {
        if let load, load.request.continues { return try await follow(load) }
        guard var request = load?.request ?? window.map(Request.init), load != nil || hasMore else { return }
        request.pages += 1
        request.continues = load == nil
        try await follow(begin(request))
    }

    /// What is to be shown after a load.
    private struct Request {
        let query: EntityQuery
        /// How many pages are to be shown, where there are so many.
        var pages: Int
        var reloads = false
        /// Whether the pages that are shown are kept, and the next one added.
        var continues = false

        init(query: EntityQuery, pages: Int, reloads: Bool) {
            (self.query, self.pages, self.reloads) = (query, pages, reloads)
        }

        init(_ window: EntityWindow) {
            (query, pages) = (window.query, window.pageCount)
        }
    }

    /// Pages that are being read, and who waits for them.
    @MainActor
    private final class Load {
        let number: Int
        let request: Request
        let outcome: Outcome<Load?>
        var task: Task<Void, Never>?
        /// What changed since the pages began to be read.
        var missed: [SettledChange] = []

        init(number: Int, _ request: Request, whenAbandoned: @escaping @MainActor () -> Void) {
            self.number = number
            self.request = request
            outcome = Outcome(whenAbandoned: whenAbandoned)
        }
    }

    private func begin(_ request: Request) -> Load {
        loads += 1
        let number = loads
        let former = load
        let load = Load(number: number, request) { [weak self] in self?.abandon(number) }
        (self.load, isLoading, failure) = (load, true, nil)
        former?.task?.cancel()
        former?.outcome.settle(.success(load))
        load.task = Task.immediate { [weak self] in await self?.carryOut(load) }
        return load
    }

    /// Waits for a load, and for each that supersedes it.
    private func follow(_ load: Load) async throws {
        var load = load
        while let next = try await load.outcome.value() { load = next }
    }

    private func carryOut(_ load: Load) async {
        do {
            let window = try await read(load)
            end(load, window, .success(nil))
        } catch {
            end(load, nil, .failure(error))
        }
    }

    private func end(_ load: Load, _ window: EntityWindow?, _ result: Result<Load?, any Error>) {
        guard self.load === load else { return }
        (self.load, isLoading) = (nil, false)
        if let window { self.window = window }
        if case .failure(let error) = result, !(error is CancellationError) { failure = LoadFailure(error) }
        load.outcome.settle(result)
    }

    /// Nobody waits for a load any more: it ends, and what is shown stays.
    private func abandon(_ number: Int) {
        guard let load, load.number == number else { return }
        load.task?.cancel()
        end(load, nil, .failure(CancellationError()))
    }

    // MARK: - Reading

    /// Reads the pages of a load, again where something changed meanwhile.
    private func read(_ load: Load) async throws -> EntityWindow {
        var reloads = load.request.reloads
        var attempt = 1
        while true {
            load.missed = []
            var window = try await pages(of: load, reloads: reloads)
            if load.missed.isEmpty { return window }
            if attempt == Self.attempts {
                // Changed all the time: what was made is shown, and the rest known to be uncertain.
                for settled in load.missed { window.apply(settled) }
                window.markInexact()
                return window
            }
            attempt += 1
            // What was kept was dropped with the change.
            reloads = false
        }
    }

    private func pages(of load: Load, reloads: Bool) async throws -> EntityWindow {
        let query = load.request.query
        var window: EntityWindow
        if load.request.continues, let shown = self.window {
            window = shown
        } else {
            let page = try await model.repository.page(query, reloads: reloads)
            window = EntityWindow(page, pending: model.pendingNumbers)
        }
        while window.hasMore, window.pageBehind < query.page + load.request.pages {
            let count = window.rows.count
            let page = try await model.repository.page(query.onPage(window.pageBehind), reloads: reloads)
            window.append(page, pending: model.pendingNumbers)
            // A list that shrinks while it is read has no more to give.
            if window.rows.count <= count { break }
        }
        return window
    }

    // MARK: - Changes

    /// Shows a change that was made, where the screen shows its place.
    private func apply(_ settled: SettledChange) {
        window?.apply(settled)
        if settled.change != nil || settled.mayHaveChanged { load?.missed.append(settled) }
    }
}
