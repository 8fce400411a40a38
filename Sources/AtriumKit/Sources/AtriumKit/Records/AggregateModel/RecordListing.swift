/// A list of records as shown on one screen: consecutive pages, overlaid with the pending changes.
///
/// One load runs at a time. A newer one supersedes it: callers of the older one then wait for the newer, and
/// nothing of the older one is shown. A failed load leaves the shown rows unchanged.
@MainActor
final class RecordListing<Item: Record> {
    /// The service's answer; nil before the first load.
    @Signalled private(set) var window: RecordWindow<Item>? = nil
    @Signalled private(set) var isLoading = false
    @Signalled private(set) var failure: LoadFailure? = nil

    let model: RecordModel<Item>
    private var load: Load?
    private var loads = 0

    /// The maximum number of times that one load reads the pages if something changes meanwhile.
    static var attempts: Int { 3 }

    init(model: RecordModel<Item>) {
        self.model = model
        model.settled.add(self) { $0.apply($1) }
        model.repository.outsideChanges.add(self) { listing, _ in listing.follow() }
        if !Item.guards.isEmpty { model.repository.userChanges.add(self) { listing, _ in listing.hide() } }
    }

    // MARK: - Shown rows

    var rows: [RecordRow<Item>] { window?.rows(during: model.pending) ?? [] }
    var total: Int { window?.total(during: model.pending) ?? 0 }
    var hasMore: Bool { window?.hasMore ?? false }

    // MARK: - Loading

    /// Shows pages of a list, from the page of `query` on; a failure leaves the shown rows unchanged.
    func show(_ query: RecordQuery<Item>, pages: Int = 1, reloads: Bool = false) async throws {
        try await follow(begin(Request(query: query, pages: pages, reloads: reloads)))
    }

    /// Reloads the shown pages, and the next one if it is being loaded.
    func loadAll(reloads: Bool = false) async throws {
        guard var request else { return }
        (request.reloads, request.continues) = (reloads || request.reloads, false)
        try await follow(begin(request))
    }

    /// Shows one more page, if there is one; two simultaneous calls show one.
    func loadNextPage() async throws {
        if let load, load.request.continues { return try await follow(load) }
        guard var request, load != nil || hasMore else { return }
        request.pages += 1
        request.continues = load == nil
        try await follow(begin(request))
    }

    private struct Request {
        let query: RecordQuery<Item>
        var pages: Int
        var reloads = false
        var continues = false
    }

    /// The request being loaded, or the one shown.
    private var request: Request? {
        load?.request ?? window.map { Request(query: $0.query, pages: $0.pageCount) }
    }

    @MainActor
    private final class Load {
        let number: Int
        let request: Request
        /// Resolves to the load that superseded this one, or nil.
        let promise: Promise<Load?>
        var task: Task<Void, Never>?
        var missed: [SettledChange<Item>] = []

        init(number: Int, _ request: Request, onAbandon: @escaping @MainActor @Sendable () -> Void) {
            self.number = number
            self.request = request
            promise = Promise { Task { @MainActor in onAbandon() } }
        }
    }

    private func begin(_ request: Request) -> Load {
        loads += 1
        let number = loads
        let former = load
        let load = Load(number: number, request) { [weak self] in self?.abandon(number) }
        (self.load, isLoading, failure) = (load, true, nil)
        former?.task?.cancel()
        former?.promise.settle(.success(load))
        load.task = Task.immediate { [weak self] in await self?.run(load) }
        return load
    }

    /// Waits for a load, or for the one that supersedes it.
    private func follow(_ load: Load) async throws {
        var load = load
        while let next = try await load.promise.value() { load = next }
    }

    private func run(_ load: Load) async {
        do {
            let window = try await read(load)
            end(load, window, .success(nil))
        } catch {
            end(load, nil, .failure(error))
        }
    }

    private func end(_ load: Load, _ window: RecordWindow<Item>?, _ result: Result<Load?, any Error>) {
        guard self.load === load else { return }
        (self.load, isLoading) = (nil, false)
        if let window { self.window = window }
        if case .failure(let error) = result, !(error is CancellationError) { failure = LoadFailure(error) }
        load.promise.settle(result)
    }

    /// Ends a load without waiters; the shown rows stay.
    private func abandon(_ number: Int) {
        // Another caller may have joined since the last one left.
        guard let load, load.number == number, load.promise.waiterCount == 0 else { return }
        load.task?.cancel()
        end(load, nil, .failure(CancellationError()))
    }

    // MARK: - Reading

    /// Reads the pages of a load, and reads them again if something changes meanwhile.
    private func read(_ load: Load) async throws -> RecordWindow<Item> {
        var reloads = load.request.reloads
        var attempt = 1
        while true {
            load.missed = []
            var window = try await pages(of: load, reloads: reloads)
            if load.missed.isEmpty { return window }
            if attempt == Self.attempts {
                for settled in load.missed { window.apply(settled) }
                window.isExact = false
                return window
            }
            attempt += 1
            // The change has emptied the cache.
            reloads = false
        }
    }

    private func pages(of load: Load, reloads: Bool) async throws -> RecordWindow<Item> {
        let query = load.request.query
        var window: RecordWindow<Item>
        if load.request.continues, let shown = self.window {
            window = shown
        } else {
            let page = try await model.repository.shown(query, reloads: reloads)
            window = RecordWindow(query, page, pending: model.pendingNumbers)
        }
        while window.hasMore, window.pageBehind < query.page + load.request.pages {
            let count = window.rows.count
            let next = query.onPage(window.pageBehind)
            let page = try await model.repository.shown(
                next, after: window.lastBeforePageBehind, reloads: reloads)
            window.append(next, page, pending: model.pendingNumbers)
            // A list may shrink while it is read.
            if window.rows.count <= count { break }
        }
        await model.names.load(for: window.rows)
        return window
    }

    // MARK: - Changes

    /// Shows changes that the model did not make; a running load reads its pages again.
    private func follow() {
        guard load != nil else { return _ = request.map(begin) }
        apply(SettledChange<Item>(id: nil, change: nil, mayHaveChanged: true))
    }

    /// Hides the records of a guarded screen from the next user; a running load reads its pages again.
    private func hide() {
        guard window != nil || load != nil else { return }
        failure = LoadFailure(ServiceError.loadedForAnother(Item.link))
        window = nil
        if load != nil { follow() }
    }

    private func apply(_ settled: SettledChange<Item>) {
        window?.apply(settled)
        if settled.change != nil || settled.mayHaveChanged { load?.missed.append(settled) }
    }
}
