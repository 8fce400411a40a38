@_spi(Host) internal import AtriumKit
internal import Observation

/// Draws something again when a property that it read has changed.
///
/// A change schedules one drawing for when things have settled: several changes in a turn of the main actor,
/// or in turns that follow each other at once, are drawn together. What was not read the last time
/// schedules nothing.
@MainActor
final class ScreenObservation<Drawing> {
    /// Waits until what is changing has changed.
    typealias Settling = @MainActor () async -> Void

    private let draw: @MainActor () -> Drawing
    private let settle: Settling
    private var receive: (@MainActor (Drawing) -> Void)?
    private var pending: Task<Void, Never>?
    /// How often it was drawn.
    private(set) var drawings = 0

    /// Prepares an observation; nothing is drawn before ``start(_:)``.
    ///
    /// - Parameters:
    ///   - settle: Called between a change and the drawing; other work of the main actor goes on meanwhile.
    ///   - draw: Reads what is to be observed.
    init(settle: @escaping Settling, draw: @escaping @MainActor () -> Drawing) {
        self.settle = settle
        self.draw = draw
    }

    isolated deinit {
        pending?.cancel()
    }

    /// Draws, and from now on again after each change.
    ///
    /// - Parameter receive: Gets each drawing but the first.
    /// - Returns: The first drawing.
    func start(_ receive: @escaping @MainActor (Drawing) -> Void) -> Drawing {
        self.receive = receive
        return drawTracked()
    }

    /// Ends it: nothing is drawn or received any more, and what was observed is let go.
    func stop() {
        receive = nil
        pending?.cancel()
        pending = nil
    }

    /// Draws at once what is to be drawn soon, after what is due on the main actor has been done.
    func settleNow() async {
        for _ in 0..<AtriumShell.Settling.turns { await Task.yield() }
        guard let pending else { return }
        pending.cancel()
        drawAgain()
    }

    private func drawTracked() -> Drawing {
        drawings += 1
        return withObservationTracking(draw) { [weak self] in
            // Called before the change, wherever the change is made: the new value is there a turn later.
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

/// Waits as a screen does: until the work that is due on the main actor is done, and long enough that a
/// person can follow.
@MainActor
final class Settling {
    /// The shortest time between two drawings.
    private let interval: Duration
    private var lastDrawing: ContinuousClock.Instant?

    init(interval: Duration) {
        self.interval = interval
    }

    func settle() async {
        // What follows at once on a change often takes a turn or two to arrive.
        for _ in 0..<Self.turns { await Task.yield() }
        if let lastDrawing {
            let next = lastDrawing + interval
            if next > .now { try? await Task.sleep(until: next) }
        }
        lastDrawing = .now
    }

    static let turns = 3
}
