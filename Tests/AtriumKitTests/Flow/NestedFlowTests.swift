import Testing

@_spi(Host) @testable import AtriumKit

private enum Journey: String, FlowStep {
    case plan, voyage, diary
}

@Suite("Steps that contain a flow")
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

    @Test("A step can't be left before its inner flow is finished; the error names the inner flow's step")
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

    @Test("A step is passed once its inner flow is finished; until then both flows are listed")
    func finished() async throws {
        #expect(manager.flows.map(\.flow) == ["Voyage", "Journey"])
        voyage.restore(try await FlowModel.at(nil).savedState)

        #expect(await journey.advancePastOpenGates() == 1)

        #expect(journey.currentStep == .diary)
        #expect(manager.flows.map(\.flow) == ["Journey"])
    }

    @Test("A step can't be left again after its inner flow has started over")
    func startedOver() async throws {
        voyage.restore(try await FlowModel.at(nil).savedState)
        try await journey.next()
        try journey.back()

        voyage.startOver()

        await #expect(throws: FlowError.self) { try await journey.next() }
    }

    @Test("The outer flow retains the inner one, and both are released together")
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
