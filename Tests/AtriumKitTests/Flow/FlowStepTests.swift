@_spi(Host) import AtriumKit
import Testing

private enum Named: String, FlowStep {
    case emailAddress, billing_details
    case terms = "terms-of-use"
}

private enum Titled: String, FlowStep {
    case name

    var title: String { "who you are" }
}

private enum Only: String, FlowStep {
    case step
}

@Suite("The steps of a flow")
@MainActor
struct FlowStepTests {
    @Test("The title of a step is its raw value in words, unless the step defines one")
    func titles() {
        #expect(Named.allCases.map(\.title) == ["email address", "billing details", "terms of use"])
        #expect(Titled.name.title == "who you are")
    }

    @Test("By default a step can't be skipped")
    func skippable() {
        #expect(Named.allCases.allSatisfy { !$0.isSkippable })
    }

    @Test("A flow with one step can't go back, and is finished after that step")
    func onlyStep() async throws {
        let flow = FlowModel<Only>("Only", announcedTo: .isolated())
        #expect(throws: FlowError.self) { try flow.back() }

        try await flow.next()

        #expect(flow.isFinished)
        #expect(flow.completedSteps == [.step])
    }
}
