@_spi(Host) import AtriumKit
import Observation
import Testing

@Suite("Observers of a flow")
@MainActor
struct FlowObservationTests {
    @MainActor
    private final class Changes {
        private(set) var count = 0

        /// Counts the first change of the properties that `read` reads.
        init<Value>(of read: @escaping () -> Value) {
            withObservationTracking {
                _ = read()
            } onChange: {
                MainActor.assumeIsolated { self.count += 1 }
            }
        }
    }

    @Test("Changes of the step and of loading notify only their own observers")
    func properties() async throws {
        let turnstile = Turnstile()
        let flow = FlowModel { step in step == .ticket ? .work { await turnstile.pass() } : .open }
        let (step, loading) = (Changes { flow.currentStep }, Changes { flow.isLoading })
        let finished = Changes { flow.isFinished }

        let move = Task { try await flow.next() }
        await turnstile.arrivals(1)
        #expect(step.count == 0)
        #expect(loading.count == 1)

        let loadingAgain = Changes { flow.isLoading }
        turnstile.open()
        try await move.value
        #expect(step.count == 1)
        #expect(loadingAgain.count == 1)

        let quiet = Changes { flow.isLoading }
        try await flow.next()
        try flow.back()
        #expect(quiet.count == 0)
        #expect(finished.count == 0)
    }

    @Test("A closed gate does not notify observers of the step")
    func closedGate() async throws {
        let flow = FlowModel { _ in .requirement { throw GateClosed() } }
        let (step, passed) = (Changes { flow.currentStep }, Changes { flow.completedSteps })

        await #expect(throws: GateClosed()) { try await flow.next() }

        #expect(step.count == 0)
        #expect(passed.count == 0)
    }

    @Test("Restoring the current state does not notify")
    func equalState() async throws {
        let flow = try await FlowModel.at(.luggage)
        let changes = Changes { (flow.progress, flow.skippedSteps) }

        flow.restore(flow.savedState)

        #expect(changes.count == 0)
    }

    @Test("Observers of the list are notified when a flow is created, moves and is released")
    func list() async throws {
        let manager = FlowManager.isolated()

        let begun = Changes { manager.flows }
        var flow: FlowModel<Voyage>? = FlowModel(in: manager)
        #expect(begun.count == 1)

        let moved = Changes { manager.flows }
        try await flow?.next()
        #expect(moved.count == 1)

        let released = Changes { manager.flows }
        flow = nil
        #expect(released.count == 1)
    }
}
