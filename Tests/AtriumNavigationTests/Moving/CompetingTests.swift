@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("Concurrent navigations")
@MainActor
struct CompetingTests {
    private let stage: Stage
    private let coordinator: Coordinator
    private var director: Director { stage.director }

    init() throws {
        stage = try Stage()
        coordinator = stage.coordinator
    }

    @Test("Navigations that a screen requests while it loads run after it, in order")
    func fromLoad() async throws {
        director.loads["spots/a"] = { viewModel in
            try await viewModel.navigator.open("spots/b")
            try await viewModel.navigator.open("spots/c")
            try await viewModel.navigator.back()
        }

        try await coordinator.open("spots/a")

        #expect(stage.links == ["spots/a", "spots/b"])
        #expect(stage.takeEvents() == ["build spots/a", "build spots/b", "build spots/c"])
    }

    @Test(
        "A navigation that a screen's task requests while the screen is built or loads runs after it",
        arguments: [true, false])
    func fromTask(whileBuilding: Bool) async throws {
        var isDone = false
        let start: @MainActor (ActorViewModel) -> Void = { viewModel in
            viewModel.tasks.run("go") {
                try? await viewModel.navigator.open("spots/b")
                isDone = true
            }
        }
        if whileBuilding { director.builds["spots/a"] = start } else { director.loads["spots/a"] = start }

        try await coordinator.open("spots/a")

        try await until("the task has asked") { isDone }
        #expect(stage.links == ["spots/a", "spots/b"])
    }

    @Test("A navigation that is superseded while its screen is built is not entered")
    func replacedAtOnce() async throws {
        director.builds["spots/a"] = { [coordinator] _ in
            Task.immediateDetached { @MainActor in try await coordinator.open("spots/b") }
        }

        await #expect(throws: CancellationError.self) { try await coordinator.open("spots/a") }

        #expect(stage.links == ["spots/b"])
        #expect(coordinator.current == nil)
    }

    @Test("A navigation that a screen's task requests some turns later takes place", arguments: 0..<12)
    func later(turns: Int) async throws {
        var isDone = false
        director.loads["spots/a"] = { viewModel in
            viewModel.tasks.run("go") {
                for _ in 0..<turns { await Task.yield() }
                try? await viewModel.navigator.open("spots/b")
                isDone = true
            }
        }

        try await coordinator.open("spots/a")

        try await until("the task has asked") { isDone }
        #expect(stage.links == ["spots/a", "spots/b"])
    }

    @Test("Navigations requested by a screen that fails to load are dropped")
    func failedOuter() async throws {
        director.loads["spots/a"] = { viewModel in
            try await viewModel.navigator.open("spots/b")
            throw Director.Mishap()
        }

        await #expect(throws: Director.Mishap.self) { try await coordinator.open("spots/a") }
        #expect(stage.links == [])

        try await coordinator.open("spots/c")
        #expect(stage.links == ["spots/c"])
    }

    @Test("Endless nested navigations are stopped")
    func endless() async throws {
        for name in ["a", "b"] {
            director.loads["spots/\(name)"] = { viewModel in
                try await viewModel.navigator.open(name == "a" ? "spots/b" : "spots/a")
            }
        }

        let error = await #expect(throws: NavigationError.self) { try await coordinator.open("spots/a") }

        #expect(error?.code == .redirectLoop)
        #expect(stage.links.count == GuardEvaluator.limit + 1)
    }

    @Test("A newer navigation cancels an older one and the tasks of its screen")
    func newest() async throws {
        let gate = Gate()
        var tasks: OwnedTasks?
        var isCancelled = false
        director.loads["spots/a"] = { viewModel in
            tasks = viewModel.tasks
            viewModel.tasks.run("watch") { try? await Gate().pass() }
            defer { isCancelled = Task.isCancelled }
            try await gate.pass()
        }
        let older = Task { [coordinator] in try await coordinator.open("spots/a") }
        try await until("the older one loads") { gate.arrivals == 1 }

        try await coordinator.open("spots/b")

        await #expect(throws: CancellationError.self) { try await older.value }
        #expect(isCancelled)
        #expect(stage.links == ["spots/b"])
        #expect(tasks != nil)
        try await until("its tasks have ended") { tasks?.count == 0 }
    }

    @Test("A superseded navigation is not entered even if its load ignores cancellation")
    func stubborn() async throws {
        let gate = Gate()
        director.loads["spots/a"] = { _ in await gate.passStubbornly() }
        let older = Task { [coordinator] in try await coordinator.open("spots/a") }
        try await until("the older one loads") { gate.arrivals == 1 }
        try await coordinator.open("spots/b")

        gate.open()

        await #expect(throws: CancellationError.self) { try await older.value }
        #expect(stage.links == ["spots/b"])
        #expect(coordinator.state.entries.map(\.id) == [1])
    }

    @Test("A navigation that waits for its guard is superseded too")
    func whileGuardThinks() async throws {
        let gate = Gate()
        director.verdicts[.member] = { _ in
            await gate.passStubbornly()
            return .allow
        }
        let older = Task { [coordinator] in try await coordinator.open("vaults/a") }
        try await until("the guard is asked") { gate.arrivals == 1 }
        try await coordinator.open("spots/b")
        gate.open()

        await #expect(throws: CancellationError.self) { try await older.value }
        #expect(stage.links == ["spots/b"])
        #expect(stage.takeEvents() == ["member? vaults/a", "build spots/b"])
    }

    @Test("Of many concurrent navigations only the last is entered; all others are cancelled")
    func many() async throws {
        let gate = Gate()
        for number in 0..<20 { director.loads["spots/\(number)"] = { _ in try await gate.pass() } }
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<20 {
            tasks.append(Task { [coordinator] in try await coordinator.open("spots/\(number)") })
            try await until("it loads") { gate.arrivals == number + 1 }
        }
        gate.open()

        for task in tasks.dropLast() {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        try await tasks.last?.value
        #expect(stage.links == ["spots/19"])
    }

    @Test("Cancelling the caller cancels its navigation")
    func callerCancelled() async throws {
        let gate = Gate()
        director.loads["spots/a"] = { _ in try await gate.pass() }
        let caller = Task { [coordinator] in try await coordinator.open("spots/a") }
        try await until("it loads") { gate.arrivals == 1 }

        caller.cancel()

        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(stage.links == [])
    }

    @Test("A cancelled caller neither changes the stack nor disturbs another navigation")
    func cancelledBefore() async throws {
        let gate = Gate()
        director.loads["spots/a"] = { _ in try await gate.pass() }
        let other = Task { [coordinator] in try await coordinator.open("spots/a") }
        try await until("it loads") { gate.arrivals == 1 }
        let caller = Task { [coordinator] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await coordinator.open("spots/b")
        }

        await #expect(throws: CancellationError.self) { try await caller.value }
        gate.open()

        try await other.value
        #expect(stage.links == ["spots/a"])
    }

    @Test("If a screen can't be built, the tasks that its view model started are cancelled")
    func notBuilt() async throws {
        var tasks: OwnedTasks?
        director.builds["spots/a"] = { viewModel in
            tasks = viewModel.tasks
            viewModel.tasks.run("watch") { try? await Gate().pass() }
            throw Director.Mishap()
        }

        await #expect(throws: (any Error).self) { try await coordinator.open("spots/a") }

        // Cancelled tasks need one turn to end; others would run until their gate opens.
        for _ in 0..<100 { await Task.yield() }
        #expect(tasks != nil)
        #expect(tasks?.count == 0)
    }

    @Test("If the redirect of a restored entry fails to load, its tasks are cancelled")
    func redirectOfRestored() async throws {
        try await coordinator.open("vaults/a")
        let next = try stage.restarted()
        director.redirect(.member, to: "desks/in")
        var tasks: OwnedTasks?
        director.loads["desks/in"] = { viewModel in
            tasks = viewModel.tasks
            viewModel.tasks.run("watch") { try? await Gate().pass() }
            throw Director.Mishap()
        }

        await #expect(throws: Director.Mishap.self) { try await next.coordinator.evaluateCurrentGuards() }

        for _ in 0..<100 { await Task.yield() }
        #expect(tasks?.count == 0)
        #expect(next.links == ["vaults/a"])
    }

    @Test("A released preview cancels the tasks of its screen")
    func detached() async throws {
        director.loads["spots/a"] = { viewModel in
            viewModel.tasks.run("watch") { try? await Gate().pass() }
        }
        var looking: Coordinator? = coordinator.detached()
        try await looking?.open("spots/a")
        let tasks = try #require(looking?.currentScreen()?.view as? ActorView).viewModel.tasks
        #expect(tasks.count == 1)

        looking = nil

        for _ in 0..<100 { await Task.yield() }
        #expect(tasks.count == 0)
    }
}
