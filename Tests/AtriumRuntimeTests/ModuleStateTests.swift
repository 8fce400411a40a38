@_spi(Host) import AtriumKit
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

@Suite("Module states")
struct ModuleStateTests {
    private let failure = ModuleError.cycle(["A", "B", "A"])

    @Test("Each state has a name, and only `active` is active")
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

    @Test("Waiting and failed modules give a reason and a hint; others give none")
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

    @Test("The error about an inactive module gives its reason, or otherwise its state")
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
