@_spi(Host) internal import AtriumKit
internal import AtriumText
internal import Observation

/// Draws a screen again when an observed property changes, and compares the drawings.
///
/// Changes in quick succession are drawn together.
@MainActor
final class ScreenObservation {
    typealias Drawing = @MainActor () -> Content
    typealias Receiving = @MainActor (Content, [ContentChange]) -> Void

    private let settle: @MainActor () async -> Void
    /// Holds the screen; nil while nothing is observed.
    private var draw: Drawing?
    private var receive: Receiving?
    private var pending: Task<Void, Never>?
    /// The last drawing; nil if there is none.
    private var shown: Content?
    private(set) var drawings = 0
    /// The number of drawings that differed from the one before.
    private(set) var changes = 0

    /// - Parameter settle: Waits between a change and its drawing; default: at most thirty drawings a second.
    init(settle: @escaping @MainActor () async -> Void = Settling(interval: .milliseconds(33)).settle) {
        self.settle = settle
    }

    isolated deinit { pending?.cancel() }

    /// Draws, and calls `receive` with each later drawing.
    func start(drawing draw: @escaping Drawing, _ receive: @escaping Receiving) -> Content {
        self.draw = draw
        self.receive = receive
        let content = drawTracked(draw)
        shown = content
        return content
    }

    /// Continues with a screen that was reopened.
    func resume(drawing draw: @escaping Drawing) {
        self.draw = draw
        drawAgain()
    }

    func stop() {
        draw = nil
        pending?.cancel()
        pending = nil
    }

    /// Forgets the last drawing, so that the next one counts as a change; returns whether there was one.
    func forget() -> Bool {
        defer { shown = nil }
        return shown != nil
    }

    func settleNow() async {
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
final class Settling {
    private let interval: Duration
    private var lastDrawing: ContinuousClock.Instant?

    init(interval: Duration) { self.interval = interval }

    func settle() async {
        // Consequences of a change often take a turn or two.
        for _ in 0..<Self.turns { await Task.yield() }
        if let next = lastDrawing.map({ $0 + interval }), next > .now { try? await Task.sleep(until: next) }
        lastDrawing = .now
    }

    static let turns = 3
}
