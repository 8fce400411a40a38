import Testing

@_spi(Host) @testable import AtriumKit

private enum Journey: String, FlowStep {
    case plan, voyage, diary
}

@Suite("A step that is a flow of its own")
@MainActor
struct NestedFlowTests {
    private let manager = FlowManager.isolated()
    private let voyage: FlowModel<Voyage>
    private let journey: FlowModel<Journey>

    init() async throws {
        let voyage = FlowModel(in: manager)
        self.voyage = voyage
        journey = FlowModel<Journey>("Journey", announcedTo: manager) { step in
            step == .voyage ? .flow(voyage) : .open
        }
        try await journey.next()
    }

    @Test("Can't be left before the inner flow is finished; the error says where that one is")
    func unfinished() async throws {
        try await voyage.next()

        let error = await #expect(throws: FlowError.self) { try await journey.next() }

        #expect(error?.code == .innerFlowUnfinished)
        #expect(error?.category == .refused)
        let place = "it is at step 2 of 4, seat choice."
        #expect(error?.message == "'Journey' can't leave voyage: 'Voyage' is not finished; " + place)
        #expect(error?.hint == "Finish 'Voyage' first, then type: next")
        #expect(journey.currentStep == .voyage)
        #expect(!journey.isLoading)
    }

    @Test("Is passed over when the inner flow is finished, and both are listed until then")
    func finished() async throws {
        #expect(manager.flows.map(\.flow) == ["Voyage", "Journey"])
        voyage.restore(try await FlowModel.at(nil).savedState)

        #expect(await journey.advancePastOpenGates() == 1)

        #expect(journey.currentStep == .diary)
        #expect(manager.flows.map(\.flow) == ["Journey"])
    }

    @Test("Is open again when the inner flow starts over")
    func startedOver() async throws {
        voyage.restore(try await FlowModel.at(nil).savedState)
        try await journey.next()
        try journey.back()

        voyage.startOver()

        await #expect(throws: FlowError.self) { try await journey.next() }
    }

    @Test("The outer flow keeps the inner one, and both are released together")
    func released() async throws {
        let manager = FlowManager.isolated()
        var outer: FlowModel<Journey>?
        weak var inner: FlowModel<Voyage>?
        do {
            let voyage = FlowModel(in: manager)
            inner = voyage
            outer = FlowModel("Journey", announcedTo: manager) { $0 == .voyage ? .flow(voyage) : .open }
        }
        #expect(inner != nil)
        #expect(manager.flows.count == 2)

        outer = nil

        #expect(inner == nil)
        #expect(manager.modelCount == 0)
        _ = outer
    }
}
