@_spi(Host) import AtriumKit
import Testing

/// The steps of a later version: one added, one removed, one no longer skippable, in another order.
private enum LaterVoyage: String, FlowStep {
    case passport, ticket, luggage, seatChoice
}

/// The steps of an earlier version: a subset.
private enum ShorterVoyage: String, FlowStep {
    case ticket, seatChoice

    var isSkippable: Bool { self == .seatChoice }
}

@Suite("Restoring a flow")
@MainActor
struct FlowResumeTests {
    private func read<Step: FlowStep>(_ text: String, as: Step.Type = Step.self) throws -> FlowModel<Step> {
        let flow = FlowModel<Step>("Voyage", announcedTo: .isolated())
        flow.restore(try StateCoding.decode(FlowState<Step>.self, from: text))
        return flow
    }

    @Test(
        "Restoring saved state gives the same progress, at every step and at the end",
        arguments: Voyage.allCases.map(Optional.some) + [nil])
    func everyStep(_ step: Voyage?) async throws {
        let flow = try await FlowModel.at(step)

        let next: FlowModel<Voyage> = try read(StateCoding.encode(flow.savedState))

        #expect(next.progress == flow.progress)
        #expect(next.completedSteps == flow.completedSteps)
        #expect(next.skippedSteps == flow.skippedSteps)
        #expect(next.savedState == flow.savedState)
        #expect(next.savedState.currentStep == flow.currentStep)
    }

    @Test("Saved state names the steps")
    func text() async throws {
        let state = try await FlowModel.at(.farewell).savedState

        #expect(
            try StateCoding.encode(state)
                == #"{"completed":["ticket","luggage"],"isFinished":false,"skipped":["seatChoice"]}"#)
    }

    @Test("The running evaluation of a gate is not saved")
    func underWay() async throws {
        let turnstile = Turnstile()
        let flow = FlowModel { _ in .work { await turnstile.pass() } }
        let move = Task { try await flow.next() }
        await turnstile.arrivals(1)

        let next: FlowModel<Voyage> = try read(StateCoding.encode(flow.savedState))

        #expect(next.currentStep == .ticket)
        #expect(!next.isLoading)
        turnstile.open()
        try await move.value
    }

    @Test("Restoring a state during a gate's evaluation ignores the gate's result")
    func restoreMeanwhile() async throws {
        let turnstile = Turnstile()
        let flow = FlowModel { _ in .work { await turnstile.pass() } }
        let move = Task { try await flow.next() }
        await turnstile.arrivals(1)

        flow.restore(try await FlowModel.at(.luggage).savedState)

        await #expect(throws: CancellationError.self) { try await move.value }
        #expect(flow.currentStep == .luggage)
        #expect(!flow.isLoading)
    }

    @Test(
        "The state of another version is restored at the first step that was not passed",
        arguments: [
            (#"{"completed":["ticket"]}"#, LaterVoyage.passport, 1),
            (#"{"completed":["passport","ticket","farewell"],"skipped":["luggage"]}"#, .luggage, 3),
            (#"{"completed":["passport","luggage","ticket"]}"#, .seatChoice, 4),
            // The step can no longer be skipped.
            (#"{"completed":["luggage","ticket","passport"],"skipped":["seatChoice"]}"#, .seatChoice, 4),
            (#"{"completed":["gone","also gone"],"skipped":["ticket"],"isFinished":true}"#, .passport, 1),
            ("{}", .passport, 1),
        ])
    private func otherVersion(_ text: String, _ step: LaterVoyage, _ position: Int) throws {
        let flow = try read(text, as: LaterVoyage.self)

        #expect(flow.currentStep == step)
        #expect(flow.position == position)
        #expect(!flow.isFinished)
        #expect(flow.completedSteps == Array(flow.steps.prefix(position - 1)))
    }

    @Test("A state at a removed step, with all others passed, is restored at the last step")
    func lastStepIsGone() async throws {
        let text = try StateCoding.encode(try await FlowModel.at(.farewell).savedState)

        let flow = try read(text, as: ShorterVoyage.self)

        #expect(flow.currentStep == .seatChoice)
        #expect(!flow.isFinished)
        #expect(flow.skippedSteps == [])
    }

    @Test("The finished state of a version with more steps stays finished")
    func finishedLonger() async throws {
        let text = try StateCoding.encode(try await FlowModel.at(nil).savedState)

        let flow = try read(text, as: ShorterVoyage.self)

        #expect(flow.isFinished)
        #expect(flow.completedSteps == [.ticket])
        #expect(flow.skippedSteps == [.seatChoice])
    }

    @Test("A text that is not a flow's state is an error")
    func noState() async throws {
        for text in ["[]", "7", #"{"completed":"ticket"}"#, #"{"skipped":[1]}"#, ""] {
            #expect(throws: (any Error).self) { try read(text, as: Voyage.self) }
        }
    }
}
