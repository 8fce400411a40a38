@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import AtriumNavigation

@Suite("The stack while modules are added and removed")
@MainActor
struct ModuleChangeTests {
    private let stage: Stage
    private let coordinator: Coordinator

    init() throws {
        stage = try Stage()
        coordinator = stage.coordinator
    }

    @Test(
        "An entry of a removed module stays but can't be shown; when the module is back, its state is restored"
    )
    func placeholder() async throws {
        try await coordinator.open("spots/a")
        try stage.current().note = "kept"
        weak let former = try stage.current()
        try stage.remove("Places")

        let error = #expect(throws: NavigationError.self) { try coordinator.currentScreen() }
        #expect(error?.code == .screenUnavailable)
        #expect(error?.message == "The screen 'spots/a' belongs to module 'Places', which is not active.")
        #expect(stage.links == ["spots/a"])
        #expect(former == nil)
        #expect(coordinator.leaks == [])
        let entry = try #require(coordinator.currentEntry)
        #expect(!coordinator.canShow(entry))

        try stage.add("Places")

        _ = try await coordinator.loadedScreen()
        #expect(try stage.current().note == "kept")
        #expect(try stage.current().loads == 1)
        #expect(coordinator.state.entries.map(\.id) == [1])
    }

    @Test("An entry of a removed module can be left and returned to")
    func moving() async throws {
        try await coordinator.open("pickers/word")
        try await coordinator.open("spots/a")
        try stage.remove("Places")

        try await coordinator.back()
        try await coordinator.forward()

        #expect(stage.links == ["pickers/word", "spots/a"])
        try stage.add("Places")
        #expect(try stage.current().link == "spots/a")
    }

    @Test("A screen's tasks are cancelled when its module is removed")
    func tasks() async throws {
        stage.director.loads["spots/a"] = { viewModel in
            viewModel.tasks.run("watch") { try? await Gate().pass() }
        }
        try await coordinator.open("spots/a")
        let tasks = try stage.current().tasks
        #expect(tasks.count == 1)

        try stage.remove("Places")

        try await until("the task has ended") { tasks.count == 0 }
    }

    @Test("A screen that changes during an action is rebuilt after the action")
    func busy() async throws {
        try await coordinator.open("spots/a")
        let former = try stage.current()
        let action = coordinator.beginAction()
        former.note = "half"
        try stage.remove("Places")
        try stage.add("Places")
        #expect(try stage.current() === former)
        former.note = "done"
        coordinator.endAction(on: action)

        #expect(try stage.current() !== former)
        #expect(try stage.current().note == "done")
    }

    @Test("A link that no module had is announced once a module has it, also after a restart, and not opened")
    func waitingLink() async throws {
        try stage.remove("Pickers")
        try await coordinator.open("spots/a")
        await #expect(throws: NavigationError.self) { try await coordinator.open("pickers/word") }
        #expect(coordinator.waitingLinks.map(\.link) == ["pickers/word"])
        #expect(coordinator.needsArchiving)
        #expect(coordinator.takeAvailableLinks().isEmpty)

        let next = try stage.restarted()

        #expect(next.coordinator.takeAvailableLinks() == ["pickers/word"])
        #expect(next.links == ["spots/a"])
        #expect(next.coordinator.takeAvailableLinks().isEmpty)
        #expect(next.coordinator.waitingLinks.isEmpty)
    }

    @Test("Eight links wait, for a week")
    func waitingLinks() async throws {
        let clock = FixedClock()
        coordinator.clock = clock
        for number in 1...10 {
            await #expect(throws: NavigationError.self) { try await coordinator.open("elsewhere/\(number)") }
        }
        #expect(coordinator.waitingLinks.map(\.link) == (3...10).map { "elsewhere/\($0)" })

        clock.advance(seconds: 7 * 86_400)
        #expect(coordinator.waitingLinks.count == 8)
        clock.advance(seconds: 1)
        #expect(coordinator.waitingLinks.isEmpty)
    }

    @Test("Opening a link loads its module on demand, once")
    func onDemand() async throws {
        try stage.remove("Pickers")
        var wanted: [String] = []
        coordinator.loadOnDemand = { [stage] what in
            if case .link(let link) = what { wanted.append(link.description) }
            try stage.add("Pickers")
            return true
        }

        try await coordinator.open("pickers/word")
        try await coordinator.open("pickers/word")

        #expect(wanted == ["pickers/word"])
        #expect(coordinator.waitingLinks.isEmpty)
    }
}
