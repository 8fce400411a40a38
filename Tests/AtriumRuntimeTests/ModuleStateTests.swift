@_spi(Host) import AtriumKit
import Testing

@testable import AtriumRuntime

@Suite("The states of a module")
struct ModuleStateTests {
    private let failure = ModuleError.cycle(["A", "B", "A"])

    @Test("Each state has a word, and only one of them is active")
    func names() {
        let states: [ModuleState] = [
            .discovered, .resolved, .waiting("for A."), .starting, .active, .stopping, .stopped,
            .failed(failure),
        ]

        #expect(
            states.map(\.name) == [
                "discovered", "resolved", "waiting", "starting", "active", "stopping", "stopped", "failed",
            ])
        #expect(states.filter(\.isActive).map(\.name) == ["active"])
    }

    @Test("Waiting and failed modules say why and what to do, the others have nothing to say")
    func reasons() {
        #expect(ModuleState.waiting("it requires A.").reason == "it requires A.")
        #expect(
            ModuleState.waiting("it requires A.").hint(for: "B")
                == "Add what it requires with 'module add', or to modules.json.")
        #expect(
            ModuleState.failed(failure).reason == "Dependency cycle: A → B → A.")
        #expect(
            ModuleState.failed(failure).hint(for: "A")
                == "Remove one of these requirements from its module.json.")
        #expect(ModuleState.active.reason == nil)
        #expect(ModuleState.stopped.hint(for: "A") == nil)
    }

    @Test("That a module is not active is told with its reason, else with its state")
    func notActive() {
        let failed = ModuleError.notActive("A", state: .failed(failure))
        let stopped = ModuleError.notActive("A", state: .stopped)

        #expect(failed.code == .moduleNotActive)
        #expect(
            failed.message
                == "Module 'A' is not active: Dependency cycle: A → B → A.")
        #expect(failed.hint == "why A")
        #expect(stopped.message == "Module 'A' is not active: it is stopped.")
    }
}
