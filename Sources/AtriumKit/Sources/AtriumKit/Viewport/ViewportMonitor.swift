public import Observation

/// Tells how much room screens have, now and whenever it changes.
///
/// The host feeds it: from the terminal's size, from the rows that the line being typed takes, or from a size
/// that was asked for. A view or view model that reads ``current`` is observed like one that reads any other
/// property. What has to do something then asks to be told with ``observe(_:_:)``; what works in a task of its
/// own follows ``updates``.
///
/// ```swift
/// monitor.observe(viewModel) { viewModel, viewport in viewModel.pageSize = viewport.contentRows - 4 }
/// ```
@MainActor
@Observable
public final class ViewportMonitor {
    /// The room that there is now.
    public private(set) var current: Viewport

    @ObservationIgnored private let observers = ObserverList<Viewport>()
    @ObservationIgnored private var consumers: [Int: AsyncStream<Void>.Continuation] = [:]
    @ObservationIgnored private var nextConsumer = 0

    @_spi(Host) public init(_ current: Viewport = .standard) {
        self.current = current
    }

    isolated deinit {
        for consumer in consumers.values { consumer.finish() }
    }

    /// Tells `observer` of each other viewport from now on, for as long as it lives.
    ///
    /// It is told in the turn in which the viewport changes.
    ///
    /// - Parameters:
    ///   - observer: Held weakly; it is an argument of `notify`, which must not capture it.
    ///   - notify: Called on the main actor, in the order in which observers came.
    public func observe<Observer: AnyObject>(
        _ observer: Observer, _ notify: @escaping @MainActor (Observer, Viewport) -> Void
    ) {
        observers.add(observer, notify)
    }

    /// The present viewport, then each other one; a consumer gets the latest when its turn comes, and none gets
    /// the same twice in a row.
    ///
    /// Each stream is for one consumer. It ends when its task is cancelled, or with the host.
    public var updates: AsyncStream<Viewport> {
        let (changes, consumer) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = nextConsumer
        nextConsumer += 1
        consumers[number] = consumer
        consumer.onTermination = { [weak self] _ in
            Task { @MainActor in self?.consumers[number] = nil }
        }
        consumer.yield()
        let viewports = DistinctViewports(of: self, changes)
        return AsyncStream { await viewports.next() }
    }

    /// Tells everybody of a viewport, unless it is the present one.
    @_spi(Host) public func update(_ viewport: Viewport) {
        guard viewport != current else { return }
        current = viewport
        for consumer in consumers.values { consumer.yield() }
        observers.send(viewport)
    }

    /// How many are told by ``observe(_:_:)``; who is gone is forgotten.
    @_spi(Host) public var observerCount: Int { observers.count }

    /// How many streams there are that somebody may still follow.
    @_spi(Host) public var consumerCount: Int { consumers.count }
}

/// Gives a consumer what is present when its turn comes, unless it has just seen that: there and back again
/// before its turn is no change.
@MainActor
private final class DistinctViewports {
    private weak var monitor: ViewportMonitor?
    private let changes: AsyncStream<Void>
    private var last: Viewport?

    init(of monitor: ViewportMonitor, _ changes: AsyncStream<Void>) {
        self.monitor = monitor
        self.changes = changes
    }

    func next() async -> Viewport? {
        // Iterators of one stream take from the same buffer.
        var iterator = changes.makeAsyncIterator()
        while await iterator.next(isolation: #isolation) != nil {
            guard let viewport = monitor?.current, viewport != last else { continue }
            last = viewport
            return viewport
        }
        return nil
    }
}
