public import Observation

/// The size of the screen, in character cells; a long list shows as many rows as ``contentRows``.
public struct Viewport: Sendable, Hashable {
    /// The number of columns.
    public let columns: Int
    /// The number of rows, including those of the prompt.
    public let rows: Int
    /// The number of rows that the prompt and the typed line take; 0 without a prompt.
    public let promptRows: Int

    /// Creates a viewport; negative figures count as 0.
    public init(columns: Int, rows: Int, promptRows: Int = 0) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        self.promptRows = max(0, promptRows)
    }

    /// The number of rows left for content.
    public var contentRows: Int { max(0, rows - promptRows) }

    /// The viewport without a terminal: 80 columns by 24 rows.
    public static let standard = Viewport(columns: 80, rows: 24)
}

/// The current ``Viewport``, and its changes.
///
/// Follows the terminal's size and the rows that the typed line takes, or option `--size`. ``current`` is
/// observable; ``observe(_:_:)`` runs code on each change, and ``updates`` is a stream of them.
///
/// ```swift
/// monitor.observe(viewModel) { viewModel, viewport in viewModel.pageSize = viewport.contentRows - 4 }
/// ```
@MainActor
@Observable
public final class ViewportMonitor {
    /// The current viewport.
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

    /// Notifies `observer`, held weakly, of each change, in order; `notify` must not capture it.
    public func observe<Observer: AnyObject>(
        _ observer: Observer, _ notify: @escaping @MainActor (Observer, Viewport) -> Void
    ) {
        observers.add(observer, notify)
    }

    /// The current viewport, then each change, for one consumer; a slow one gets only the latest, and never
    /// the same twice in a row.
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

    /// Changes the viewport and notifies observers, unless it is unchanged.
    @_spi(Host) public func update(_ viewport: Viewport) {
        guard viewport != current else { return }
        current = viewport
        for consumer in consumers.values { consumer.yield() }
        observers.send(viewport)
    }

    var observerCount: Int { observers.count }

    /// The number of streams that have not ended.
    var consumerCount: Int { consumers.count }
}

/// Passes a consumer the current viewport, unless it is the last one that it received.
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
