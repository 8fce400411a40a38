@_spi(Host) import AtriumKit
import Testing

@Suite("The header of a flow and its actions")
@MainActor
struct FlowHeaderTests {
    private struct VoyageView: View {
        let flow: FlowModel<Voyage>

        var body: Content {
            FlowHeader(flow)
            Field("name", "Ada")
        }

        var actions: [Action] {
            flow.actions
            Action("set", "Sets the name") { .updated }
        }
    }

    private func field(_ flow: FlowModel<Voyage>) -> Field? {
        guard case .field(let field) = FlowHeader(flow).content.blocks.first else { return nil }
        return field
    }

    private func perform(_ name: String, in flow: FlowModel<Voyage>) async throws -> String? {
        let action = try #require(VoyageView(flow: flow).actions.first { $0.name == name })
        return try await action.perform(ArgumentValues([:])).message
    }

    @Test("The text names the flow and the step, and says whether it is loading or finished")
    func text() async throws {
        let turnstile = Turnstile()
        let flow = FlowModel { _ in .work { await turnstile.pass() } }
        #expect(field(flow)?.text == "Voyage: step 1 of 4, ticket")

        let move = Task { try await flow.next() }
        await turnstile.arrivals(1)
        #expect(field(flow)?.text == "Voyage: step 1 of 4, ticket (loading)")

        turnstile.open()
        try await move.value
        #expect(field(flow)?.text == "Voyage: step 2 of 4, seat choice")

        flow.restore(try await FlowModel.at(nil).savedState)
        #expect(field(flow)?.text == "Voyage: finished")
        #expect(field(flow)?.label == "Flow")
    }

    @Test("In JSON the header is an object under 'flow', or under the given key")
    func json() async throws {
        let flow = try await FlowModel.at(.seatChoice)
        let object =
            #"{"name":"Voyage","step":"seatChoice","title":"seat choice","position":2,"count":4,"#
            + #""isLoading":false,"isFinished":false}"#

        #expect(
            JSONValue.object(VoyageView(flow: flow).body.json).serialized
                == #"{"flow":\#(object),"name":"Ada"}"#)
        #expect(FlowHeader(flow, key: "outer").content.json["outer"]?.serialized == object)
    }

    @Test("A flow offers the actions that its step allows")
    func actionNames() async throws {
        func names(_ step: Voyage?) async throws -> [String] {
            VoyageView(flow: try await .at(step)).actions.map(\.name)
        }

        #expect(try await names(.ticket) == ["next", "previous", "set"])
        #expect(try await names(.seatChoice) == ["next", "previous", "skip", "set"])
        #expect(try await names(nil) == ["set"])
    }

    @Test("The actions move the flow and report its step")
    func actions() async throws {
        let flow = FlowModel()

        #expect(try await perform("next", in: flow) == "Voyage: step 2 of 4, seat choice.")
        #expect(try await perform("previous", in: flow) == "Voyage: step 1 of 4, ticket.")
        #expect(try await perform("next", in: flow) == "Voyage: step 2 of 4, seat choice.")
        #expect(try await perform("skip", in: flow) == "Voyage: step 3 of 4, luggage.")
        #expect(flow.skippedSteps == [.seatChoice])
        #expect(try await perform("next", in: flow) == "Voyage: step 4 of 4, farewell.")
        #expect(try await perform("next", in: flow) == "Voyage: finished.")
    }

    @Test("The hint of each refused move is an action of the flow, or 'back' if it is finished")
    func hints() async throws {
        for transition in Transition.table {
            guard case .refused(_, _, let hint) = transition.outcome else { continue }
            let flow = try await FlowModel.at(transition.step)

            #expect(hint == "back" ? flow.isFinished : flow.actions.contains { $0.name == hint })
        }
    }
}
