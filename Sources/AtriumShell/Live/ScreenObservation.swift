@_spi(Host) internal import AtriumKit
internal import Observation

/// Draws again when an observed property changes; changes that follow each other at once are drawn together.
@MainActor
final class ScreenObservation<Drawing> {
    typealias Settling = @MainActor () async -> Void

    private let draw: @MainActor () -> Drawing
    private let settle: Settling
    private var receive: (@MainActor (Drawing) -> Void)?
    private var pending: Task<Void, Never>?
    private(set) var drawings = 0

    /// - Parameters:
    ///   - settle: Waits between a change and its drawing.
    ///   - draw: Reads what is observed.
    init(settle: @escaping Settling, draw: @escaping @MainActor () -> Drawing) {
        self.settle = settle
        self.draw = draw
    }

    isolated deinit {
        pending?.cancel()
    }

    /// Draws, and calls `receive` with each later drawing.
    func start(_ receive: @escaping @MainActor (Drawing) -> Void) -> Drawing {
        self.receive = receive
        return drawTracked()
    }

    func stop() {
        receive = nil
        pending?.cancel()
        pending = nil
    }

    /// Draws a pending change at once.
    func settleNow() async {
        for _ in 0..<AtriumShell.Settling.turns { await Task.yield() }
        guard let pending else { return }
        pending.cancel()
        drawAgain()
    }

    private func drawTracked() -> Drawing {
        drawings += 1
        return withObservationTracking(draw) { [weak self] in
            // Called before the change; the new value is there a turn later.
            Task { @MainActor in self?.somethingChanges() }
        }
    }

    private func somethingChanges() {
        guard receive != nil, pending == nil else { return }
        pending = Task { [weak self, settle] in
            await settle()
            guard !Task.isCancelled else { return }
            self?.drawAgain()
        }
    }

    private func drawAgain() {
        pending = nil
        guard let receive else { return }
        receive(drawTracked())
    }
}

/// Waits until the main actor has done what is due, and keeps a shortest time between drawings.
@MainActor
final class Settling {
    private let interval: Duration
    private var lastDrawing: ContinuousClock.Instant?

    init(interval: Duration) {
        self.interval = interval
    }

    func settle() async {
        // Consequences of a change often take a turn or two.
        for _ in 0..<Self.turns { await Task.yield() }
        if let lastDrawing {
            let next = lastDrawing + interval
            if next > .now { try? await Task.sleep(until: next) }
        }
        lastDrawing = .now
    }

    static let turns = 3
}
