@_spi(Host) package import AtriumKit
internal import Observation

/// Draws a screen again when an observed property changes, and compares the drawings.
///
/// Changes in quick succession are drawn together.
@MainActor
package final class ScreenObservation {
    package typealias Drawing = @MainActor () -> Content
    package typealias Receiving = @MainActor (Content, [ContentChange]) -> Void

    private let settle: @MainActor () async -> Void
    /// Holds the screen; nil while nothing is observed.
    private var draw: Drawing?
    private var receive: Receiving?
    private var pending: Task<Void, Never>?
    /// The last drawing; nil if there is none.
    private var shown: Content?
    package private(set) var drawings = 0
    /// The number of drawings that differed from the one before.
    package private(set) var changes = 0

    /// - Parameter settle: Waits between a change and its drawing; default: at most thirty drawings a second.
    package init(
        settle: @escaping @MainActor () async -> Void = Settling(interval: .milliseconds(33)).settle
    ) {
        self.settle = settle
    }

    isolated deinit { pending?.cancel() }

    /// Draws, and calls `receive` with each later drawing.
    package func start(drawing draw: @escaping Drawing, _ receive: @escaping Receiving) -> Content {
        self.draw = draw
        self.receive = receive
        let content = drawTracked(draw)
        shown = content
        return content
    }

    /// Continues with a screen that was reopened.
    package func resume(drawing draw: @escaping Drawing) {
        self.draw = draw
        drawAgain()
    }

    package func stop() {
        draw = nil
        pending?.cancel()
        pending = nil
    }

    /// Forgets the last drawing, so that the next one counts as a change; returns whether there was one.
    package func forget() -> Bool {
        defer { shown = nil }
        return shown != nil
    }

    package func settleNow() async {
        for _ in 0..<Settling.turns { await Task.yield() }
        guard let pending else { return }
        pending.cancel()
        drawAgain()
    }

    private func drawTracked(_ draw: Drawing) -> Content {
        drawings += 1
        return withObservationTracking(draw) { [weak self] in
            // Called before the change; the new value is available a turn later.
            Task { @MainActor in self?.somethingChanges() }
        }
    }

    private func somethingChanges() {
        guard draw != nil, pending == nil else { return }
        pending = Task { [weak self, settle] in
            await settle()
            guard !Task.isCancelled else { return }
            self?.drawAgain()
        }
    }

    private func drawAgain() {
        pending = nil
        guard let draw else { return }
        let content = drawTracked(draw)
        let differences = ContentChange.changes(from: shown ?? Content(), to: content)
        shown = content
        if !differences.isEmpty { changes += 1 }
        receive?(content, differences)
    }
}

/// Waits until the main actor has done its pending work, and keeps a minimum interval between drawings.
@MainActor
package final class Settling {
    private let interval: Duration
    private var lastDrawing: ContinuousClock.Instant?

    package init(interval: Duration) { self.interval = interval }

    package func settle() async {
        // Consequences of a change often take a turn or two.
        for _ in 0..<Self.turns { await Task.yield() }
        if let next = lastDrawing.map({ $0 + interval }), next > .now { try? await Task.sleep(until: next) }
        lastDrawing = .now
    }

    package static let turns = 3
}
