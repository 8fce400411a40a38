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
    @Test("A title is the words of the raw value unless the step gives one")
    func titles() {
        #expect(Named.allCases.map(\.title) == ["email address", "billing details", "terms of use"])
        #expect(Titled.name.title == "who you are")
    }

    @Test("No step can be skipped unless it says so")
    func skippable() {
        #expect(Named.allCases.allSatisfy { !$0.isSkippable })
    }

    @Test("A flow of one step begins at its last")
    func onlyStep() async throws {
        let flow = FlowModel<Only>("Only", announcedTo: .isolated())
        #expect(throws: FlowError.self) { try flow.back() }

        try await flow.next()

        #expect(flow.isFinished)
        #expect(flow.completedSteps == [.step])
    }
}
