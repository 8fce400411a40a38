@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumModules
@testable import AtriumText

private final class Lamp {
    init(stove: any Stove) {}
}

private final class LampViewModel: ViewModel {
    init(lamp: Lamp) {}
}

private struct LampView: View {
    let viewModel: LampViewModel
    var body: Content { Title("Lamp") }
}

private struct LampPlace: Destination {
    static let pattern: LinkPattern = "lamp"
}

private struct LampsPlace: Destination {
    static let pattern: LinkPattern = "lamps"
}

@Suite("Command 'verify'")
@MainActor
struct VerifyCommandTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    /// Makes all modules active, so that only the container can have problems.
    private func startIdle() {
        shop.host.runtime.modules[1].state = .active
    }

    @Test("If everything can be built, the count and a success notice are shown, and nothing is built")
    func sound() async throws {
        startIdle()
        try shop.add("Kitchen", Kitchen.register)

        #expect(
            try await shop.json("verify")
                == #"{"checked":8,"findings":0,"rows":[],"notices":[{"kind":"success","#
                + #""text":"Everything that is registered can be built."}]}"#)
        #expect(try await shop.output("container").content?.json["built"] == 0)
    }

    @Test(
        "A finding has the path and the other screens that it prevents from opening, also in JSON")
    func finding() async throws {
        startIdle()
        try shop.add("Kitchen", Kitchen.registerUpperLayers)
        try shop.add("Lights") { registry in
            registry.repository(Lamp.self) { Lamp(stove: try $0.service()) }
            registry.viewModel(LampViewModel.self) { LampViewModel(lamp: try $0.repository()) }
            registry.screen(LampPlace.self) { LampView(viewModel: try $0.viewModel()) }
            registry.screen(LampsPlace.self) { LampView(viewModel: try $0.viewModel()) }
        }

        let error = try #require(try await shop.failure("verify") as? ShellError)

        #expect(error.code == "verification")
        #expect(error.message == "Verification found a problem.")
        #expect(error.hint == nil)
        #expect(ExitStatus(error) == .module)
        let sentence = "No active module registers Stove as a service: lamp → LampViewModel → Lamp → Stove."
        #expect(
            error.details?.json["notices"] == [
                [
                    "kind": "problem",
                    "text": .string(sentence + " It also prevents 'lamps', 'menu' from opening."),
                ]
            ])
        #expect(
            error.details?.json["rows"] == [
                [
                    "code": "notRegistered", "message": .string(sentence), "hint": .null, "details": [:],
                    "path": ["lamp", "LampViewModel", "Lamp", "Stove"], "screens": ["lamp", "lamps", "menu"],
                ]
            ])
    }

    @Test("An inactive module is a problem of its own, before all others")
    func inactive() async throws {
        try shop.add("Kitchen", Kitchen.registerUpperLayers)

        let error = try #require(try await shop.failure("verify") as? ShellError)

        #expect(error.message == "Verification found 2 problems.")
        #expect(error.details?.json["findings"] == 2)
        #expect(
            error.details?.json["notices"]?.elements?.first == [
                "kind": "problem",
                "text": "Module 'Idle' is not active: it requires Shop ^2.0.0, but Shop is 1.2.3.",
                "hint": "why Idle",
            ])
    }

    @Test("A factory that was not checked is a note, not a problem")
    func notes() async throws {
        startIdle()
        try shop.add("Lights") { registry in
            registry.useCase(Lamp.self) { (_: borrowing UseCaseContext, _: Int) in
                Lamp(stove: ElectricStove())
            }
        }

        #expect(
            try await shop.output("verify").content?.json["notices"] == [
                [
                    "kind": "information",
                    "text":
                        "Lamp was not built: it takes arguments, and no screen that was built resolves it.",
                ],
                ["kind": "success", "text": "Everything that is registered can be built."],
            ])
    }
}
