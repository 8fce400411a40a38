public import Observation

/// Tells how much room screens have, now and whenever it changes.
///
/// The host feeds it: from the terminal's size, from the rows that the line being typed takes, or from a size
/// that was asked for. A view or view model that reads ``current`` is observed like one that reads any other
/// property; what works in a task of its own follows ``updates``.
///
/// ```swift
/// for await viewport in monitor.updates { pageSize = viewport.contentRows - 4 }
/// ```
@MainActor
@Observable
public final class ViewportMonitor {
    /// The room that there is now.
    public private(set) var current: Viewport

    @ObservationIgnored private var consumers: [Int: AsyncStream<Viewport>.Continuation] = [:]
    @ObservationIgnored private var nextConsumer = 0

    @_spi(Host) public init(_ current: Viewport = .standard) {
        self.current = current
    }

    isolated deinit {
        for consumer in consumers.values { consumer.finish() }
    }

    /// The present viewport, then each other one; a consumer that is slow gets the latest only, and none gets
    /// the same twice in a row.
    ///
    /// Each stream is for one consumer. It ends when its task is cancelled, or with the host.
    public var updates: AsyncStream<Viewport> {
        let (values, consumer) = AsyncStream.makeStream(
            of: Viewport.self, bufferingPolicy: .bufferingNewest(1))
        let number = nextConsumer
        nextConsumer += 1
        consumers[number] = consumer
        consumer.onTermination = { [weak self] _ in
            Task { @MainActor in self?.consumers[number] = nil }
        }
        consumer.yield(current)
        let changes = DistinctViewports(values)
        return AsyncStream { await changes.next() }
    }

    /// Tells everybody of a viewport, unless it is the present one.
    @_spi(Host) public func update(_ viewport: Viewport) {
        guard viewport != current else { return }
        current = viewport
        for consumer in consumers.values { consumer.yield(viewport) }
    }

    /// How many streams there are that somebody may still follow.
    @_spi(Host) public var consumerCount: Int { consumers.count }
}

/// Leaves out what a consumer has just seen: there and back again while it was not looking is no change.
@MainActor
private final class DistinctViewports {
    private let values: AsyncStream<Viewport>
    private var last: Viewport?

    init(_ values: AsyncStream<Viewport>) {
        self.values = values
    }

    func next() async -> Viewport? {
        // Iterators of one stream take from the same buffer.
        var iterator = values.makeAsyncIterator()
        while let viewport = await iterator.next(isolation: #isolation) {
            if viewport == last { continue }
            last = viewport
            return viewport
        }
        return nil
    }
}
