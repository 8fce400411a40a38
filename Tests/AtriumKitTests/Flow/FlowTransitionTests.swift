@_spi(Host) import AtriumKit
import Testing

/// A move at a step, and its outcome: the next step, or the text of the refusal.
struct Transition: Sendable, CustomTestStringConvertible {
    enum Move: String, CaseIterable {
        case next, back, skip
    }

    enum Outcome {
        case step(Voyage)
        case finished
        case refused(ErrorCode, String, hint: String)
    }

    /// Nil if the flow is finished.
    let step: Voyage?
    let move: Move
    let outcome: Outcome

    var testDescription: String { "\(move) at \(step?.rawValue ?? "the end")" }

    init(_ step: Voyage?, _ move: Move, _ outcome: Outcome) {
        self.step = step
        self.move = move
        self.outcome = outcome
    }

    private static let ended = "'Voyage' is finished: farewell was its last step."

    static let table = [
        Transition(.ticket, .next, .step(.seatChoice)),
        Transition(
            .ticket, .back,
            .refused(
                .noEarlierStep, "'Voyage' is at its first step, ticket: there is none before it.",
                hint: "next")),
        Transition(
            .ticket, .skip,
            .refused(.stepNotSkippable, "'Voyage' can't skip ticket: the step is needed.", hint: "next")),
        Transition(.seatChoice, .next, .step(.luggage)),
        Transition(.seatChoice, .back, .step(.ticket)),
        Transition(.seatChoice, .skip, .step(.luggage)),
        Transition(.luggage, .next, .step(.farewell)),
        Transition(.luggage, .back, .step(.seatChoice)),
        Transition(
            .luggage, .skip,
            .refused(.stepNotSkippable, "'Voyage' can't skip luggage: the step is needed.", hint: "next")),
        Transition(.farewell, .next, .finished),
        Transition(.farewell, .back, .step(.luggage)),
        Transition(.farewell, .skip, .finished),
        Transition(nil, .next, .refused(.flowFinished, ended, hint: "back")),
        Transition(nil, .back, .refused(.flowFinished, ended, hint: "back")),
        Transition(nil, .skip, .refused(.flowFinished, ended, hint: "back")),
    ]
}

@Suite("Moves of a flow")
@MainActor
struct FlowTransitionTests {
    private func make(_ move: Transition.Move, in flow: FlowModel<Voyage>) async throws {
        switch move {
        case .next: try await flow.next()
        case .back: try flow.back()
        case .skip: try flow.skip()
        }
    }

    @Test("The table has every move at every step, once each")
    func tableIsComplete() {
        let named = Set(Transition.table.map(\.testDescription))

        #expect(named.count == (Voyage.allCases.count + 1) * Transition.Move.allCases.count)
        #expect(named.count == Transition.table.count)
    }

    @Test(
        "Each move has the outcome in the table, and a refused move changes nothing",
        arguments: Transition.table)
    func transition(_ transition: Transition) async throws {
        let flow = try await FlowModel.at(transition.step)
        let before = flow.savedState

        switch transition.outcome {
        case .step(let step):
            try await make(transition.move, in: flow)
            #expect(flow.currentStep == step)
            #expect(!flow.isFinished)
        case .finished:
            try await make(transition.move, in: flow)
            #expect(flow.isFinished)
            #expect(flow.currentStep == .farewell)
        case .refused(let code, let message, let hint):
            let error = await #expect(throws: FlowError.self) { try await make(transition.move, in: flow) }
            #expect(error?.code == code)
            #expect(error?.message == message)
            #expect(error?.hint == hint)
            #expect(flow.savedState == before)
        }
        #expect(!flow.isLoading)
    }

    @Test("Completed and skipped steps are listed separately; going back reopens a step")
    func passedSteps() async throws {
        let flow = FlowModel()
        #expect(flow.position == 1)

        try await flow.next()
        try flow.skip()

        #expect(flow.position == 3)
        #expect(flow.completedSteps == [.ticket])
        #expect(flow.skippedSteps == [.seatChoice])

        try flow.back()

        #expect(flow.completedSteps == [.ticket])
        #expect(flow.skippedSteps == [])

        try await flow.next()

        #expect(flow.completedSteps == [.ticket, .seatChoice])
        #expect(flow.skippedSteps == [])

        try await flow.next()
        try flow.skip()

        #expect(flow.completedSteps == [.ticket, .seatChoice, .luggage])
        #expect(flow.skippedSteps == [.farewell])
        #expect(flow.position == 4)
    }

    @Test("A finished flow can start over")
    func startOver() async throws {
        let flow = try await FlowModel.at(nil)

        flow.startOver()

        #expect(flow.savedState == FlowModel().savedState)
        #expect(flow.currentStep == .ticket)
        try await flow.next()
        #expect(flow.currentStep == .seatChoice)
    }
}
