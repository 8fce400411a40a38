import Observation
import Synchronization
import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

@Suite("ViewportMonitor")
@MainActor
struct ViewportMonitorTests {
    private let monitor = ViewportMonitor()

    @Test("The default viewport has 80 columns and 24 rows, and no rows for the prompt")
    func standard() {
        #expect(monitor.current == Viewport(columns: 80, rows: 24, promptRows: 0))
    }

    @Test("Content has the rows that the prompt leaves, and no size is negative")
    func contentRows() {
        #expect(Viewport(columns: 80, rows: 24, promptRows: 3).contentRows == 21)
        #expect(Viewport(columns: 80, rows: 2, promptRows: 3).contentRows == 0)
        #expect(Viewport(columns: -1, rows: -1, promptRows: -1) == Viewport(columns: 0, rows: 0))
    }

    @Test("Each consumer first gets the current viewport, whenever it starts")
    func presentFirst() async {
        var early = monitor.updates.makeAsyncIterator()
        #expect(await early.next() == .standard)

        monitor.update(Viewport(columns: 40, rows: 10))
        var late = monitor.updates.makeAsyncIterator()

        #expect(await early.next() == Viewport(columns: 40, rows: 10))
        #expect(await late.next() == Viewport(columns: 40, rows: 10))
    }

    @Test("A consumer that reads after several changes gets only the latest viewport")
    func latestWins() async {
        var updates = monitor.updates.makeAsyncIterator()

        for rows in 5...9 { monitor.update(Viewport(columns: 40, rows: rows)) }

        #expect(await updates.next() == Viewport(columns: 40, rows: 9))
    }

    @Test("An unchanged viewport is not sent to consumers, even if it has changed and changed back")
    func distinct() async {
        let small = Viewport(columns: 40, rows: 10)
        let counter = ObservationCounter()
        withObservationTracking({ _ = monitor.current }, onChange: { counter.add() })
        let seen = SeenViewports()
        let task = Task { [updates = monitor.updates] in
            for await viewport in updates { seen.all.append(viewport) }
        }
        await eventually("the consumer saw the first viewport") { !seen.all.isEmpty }

        monitor.update(.standard)
        #expect(counter.count == 0)
        for viewport in [small, .standard, small, .standard] { monitor.update(viewport) }
        #expect(counter.count == 1)
        // Gives the consumer time to receive a viewport, if one was sent.
        for _ in 0..<10 { await Task.yield() }
        monitor.update(Viewport(columns: 20, rows: 5))
        await eventually("the consumer saw the last viewport") { seen.all.last?.columns == 20 }

        #expect(seen.all == [.standard, Viewport(columns: 20, rows: 5)])
        task.cancel()
    }

    @Test("Cancelling a consumer's task ends its stream and removes it from the monitor")
    func cancelled() async {
        let seen = Mutex<[Viewport]>([])
        let other = monitor.updates
        let task = Task { [monitor] in
            for await viewport in monitor.updates { seen.withLock { $0.append(viewport) } }
        }
        await eventually("the consumer saw the first viewport") { seen.withLock { !$0.isEmpty } }
        #expect(monitor.consumerCount == 2)

        task.cancel()
        await task.value

        await eventually("the consumer is removed") { monitor.consumerCount == 1 }
        #expect(seen.withLock { $0 } == [.standard])
        withExtendedLifetime(other) {}
    }

    @Test("A released stream is removed from the monitor; releasing the monitor ends its streams")
    func released() async {
        var short: ViewportMonitor? = ViewportMonitor()
        weak let watched = short
        _ = short?.updates
        await eventually("the stream is removed") { watched?.consumerCount == 0 }
        var updates = short?.updates.makeAsyncIterator()
        #expect(await updates?.next() == .standard)

        short = nil

        #expect(watched == nil)
        #expect(await updates?.next() == nil)
    }

    @Test("Observers of the current viewport are notified of a change")
    func observed() {
        let counter = ObservationCounter()
        withObservationTracking({ _ = monitor.current.columns }, onChange: { counter.add() })

        monitor.update(Viewport(columns: 60, rows: 24))

        #expect(counter.count == 1)
    }
}

@Suite("Observers of the viewport")
@MainActor
struct ViewportObserverTests {
    private let monitor = ViewportMonitor()

    @Test("An observer is notified synchronously of each change, and not of an unchanged viewport")
    func changes() {
        let seen = SeenViewports()
        var current: [Viewport] = []
        monitor.observe(seen) { [unowned monitor] seen, viewport in
            seen.all.append(viewport)
            current.append(monitor.current)
        }
        let sizes = [10, 9, 9, 10].map { Viewport(columns: 40, rows: $0) }

        monitor.update(.standard)
        for viewport in sizes { monitor.update(viewport) }

        #expect(seen.all == [sizes[0], sizes[1], sizes[3]])
        #expect(current == seen.all)
    }

    @Test("Observers are held weakly and removed when they are released")
    func released() {
        var leaving: SeenViewports? = SeenViewports()
        weak let watched = leaving
        monitor.observe(leaving!) { $0.all.append($1) }
        #expect(monitor.observerCount == 1)

        leaving = nil

        #expect(watched == nil)
        monitor.update(Viewport(columns: 40, rows: 10))
        #expect(monitor.observerCount == 0)
    }
}

/// The viewports that a consumer received.
@MainActor
private final class SeenViewports {
    var all: [Viewport] = []
}

/// Counts the notifications of `withObservationTracking`.
private final class ObservationCounter: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
}

private final class PagedViewModel: ViewModel {
    let viewport: ViewportMonitor

    init(viewport: ViewportMonitor) {
        self.viewport = viewport
    }
}

private struct PagedView: View {
    let viewModel: PagedViewModel
    var body: Content { Field("rows", viewModel.viewport.current.contentRows) }
}

private struct PagedPlace: Destination {
    static let pattern: LinkPattern = "paged"
}

@Suite("The viewport in view models")
@MainActor
struct ViewportContextTests {
    @Test("A view that reads the viewport is notified when it changes")
    func paged() throws {
        let monitor = ViewportMonitor()
        let container = Container(environment: .mock, session: .isolated(), viewport: monitor)
        let registry = try container.add { registry in
            registry.viewModel(PagedViewModel.self) { PagedViewModel(viewport: $0.viewport) }
            registry.screen(PagedPlace.self) { PagedView(viewModel: try $0.viewModel()) }
        }.registry
        let screen = try registry.screens[0].build(
            PagedPlace(), in: container, navigator: StationaryNavigator())
        let counter = ObservationCounter()

        let before = withObservationTracking({ screen.view.body.json }, onChange: { counter.add() })
        monitor.update(Viewport(columns: 80, rows: 10, promptRows: 2))

        #expect(before == ["rows": 24])
        #expect(counter.count == 1)
        #expect(screen.view.body.json == ["rows": 8])
    }

    @Test("A child container has its parent's viewport")
    func children() {
        let monitor = ViewportMonitor(Viewport(columns: 40, rows: 10))
        let container = Container(environment: .mock, session: .isolated(), viewport: monitor)

        #expect(container.viewport === monitor)
        #expect(Container(parent: container).viewport === monitor)
    }
}
