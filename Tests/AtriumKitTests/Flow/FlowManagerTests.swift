import Observation
import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

private enum Lamp: String, FlowStep {
    case bulb, shade
}

/// A view model that owns a flow, whose gates call the view model.
@Observable
private final class Wizard: ViewModel {
    var hasTicket = false
    private let name: String

    /// The list of flows is the process's, so the flow of each test has a name of its own.
    init(_ name: String) { self.name = name }

    @ObservationIgnored
    private(set) lazy var flow = FlowModel<Voyage>(name, of: self) { wizard, step in
        switch step {
        case .ticket: .requirement { try wizard.requireTicket() }
        case .seatChoice: .work { wizard.hasTicket = false }
        case .luggage, .farewell: .open
        }
    }

    var savedState: FlowState<Voyage> { flow.savedState }

    func restore(_ state: FlowState<Voyage>) {
        flow.restore(state)
    }

    private func requireTicket() throws {
        if !hasTicket { throw GateClosed() }
    }
}

@Suite("The list of flows")
@MainActor
struct FlowManagerTests {
    @Test("Flows are listed in the order of their creation, and found by name")
    func progress() async throws {
        let manager = FlowManager.isolated()
        let flow = FlowModel(in: manager)
        let lamp = FlowModel<Lamp>("Lamp", announcedTo: manager)
        try await flow.next()

        let texts = manager.flows.map(\.displayText)
        #expect(texts == ["Voyage: step 2 of 4, seat choice", "Lamp: step 1 of 2, bulb"])
        #expect(manager.flow(named: "Lamp") == lamp.progress)
        #expect(manager.flow(named: "Boat") == nil)
    }

    @Test("Of several flows with one name the newest unfinished one is returned")
    func sameName() async throws {
        let manager = FlowManager.isolated()
        let flows = [FlowModel(in: manager), FlowModel(in: manager)]
        try await flows[1].next()

        #expect(manager.flows.count == 2)
        #expect(manager.flow(named: "Voyage")?.position == 2)

        try await flows[1].next()
        try await flows[1].next()
        try await flows[1].next()

        #expect(manager.flow(named: "Voyage")?.position == 1)
    }

    @Test("Released flows are not counted, and finished ones are not listed")
    func released() async throws {
        let manager = FlowManager.isolated()
        var flows: [FlowModel<Voyage>] = (0..<3).map { _ in FlowModel(in: manager) }
        #expect(manager.flows.count == 3)

        flows.removeFirst()
        #expect(manager.flows.count == 2)
        #expect(manager.modelCount == 2)

        flows[0].restore(try await FlowModel.at(nil).savedState)
        #expect(manager.flows.count == 1)
        #expect(manager.modelCount == 2)

        flows = []
        #expect(manager.flows == [])
        #expect(manager.modelCount == 0)
    }

    @Test("Models that are released off the main actor are removed from the list")
    func releasedElsewhere() async throws {
        let manager = FlowManager.isolated()
        var flows: [FlowModel<Voyage>] = (0..<100).map { _ in FlowModel(in: manager) }

        let release = Task.detached { [flows] in _ = flows.count }
        flows = []
        await release.value
        // The deinits of the last models may still wait for the main actor.
        await eventually("the models are released") { manager.modelCount == 0 }

        #expect(manager.flows == [])
        #expect(manager.modelCount == 0)
    }

    @Test("A flow whose gates call its owner does not retain the owner, and is released with it")
    func owner() async throws {
        var wizard: Wizard? = Wizard("Owned")
        weak let flow = wizard?.flow
        weak let owner = wizard
        await #expect(throws: GateClosed()) { try await flow?.next() }
        wizard?.hasTicket = true
        try await flow?.next()
        #expect(FlowManager.shared.flow(named: "Owned")?.step == "seatChoice")

        wizard = nil

        #expect(owner == nil)
        #expect(flow == nil)
        #expect(FlowManager.shared.flow(named: "Owned") == nil)
    }

    @Test("A flow that outlives its owner can't pass a gate")
    func ownerIsGone() async throws {
        var wizard: Wizard? = Wizard("Orphaned")
        wizard?.hasTicket = true
        let flow = try #require(wizard?.flow)
        wizard = nil

        await #expect(throws: CancellationError.self) { try await flow.next() }

        #expect(flow.currentStep == .ticket)
    }
}
