@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("Operations on the stack and its screens")
@MainActor
struct OperationTests {
    private let stage: Stage
    private let coordinator: Coordinator

    init() throws {
        stage = try Stage()
        coordinator = stage.coordinator
    }

    private func open(_ links: String...) async throws {
        for link in links { try await coordinator.open(link) }
    }

    @Test("Going forward restores the entries that were left, until another entry is pushed")
    func forward() async throws {
        try await open("spots/a", "spots/b", "spots/c")
        try stage.current().note = "third"
        try await coordinator.back()
        try await coordinator.back()

        try await coordinator.forward()
        try await coordinator.forward()

        #expect(stage.links == ["spots/a", "spots/b", "spots/c"])
        #expect(try stage.current().note == "third")
        try await coordinator.forward()
        #expect(stage.links.count == 3)

        try await coordinator.back()
        try await open("spots/d")
        try await coordinator.forward()

        #expect(stage.links == ["spots/a", "spots/b", "spots/d"])
    }

    @Test("Going back from a presented entry clears the entries ahead")
    func forwardPastPresented() async throws {
        try await open("spots/a")
        try await coordinator.navigate(NavigationRequest(.present, link: "pickers/word"))
        try await open("spots/b")
        try await coordinator.back()
        try await coordinator.back()

        try await coordinator.forward()

        #expect(stage.links == ["spots/a"])
    }

    @Test("Popping goes to the nearest entry with a link, and fails if none is on the stack")
    func pop() async throws {
        try await open("spots/a", "spots/b", "spots/a", "spots/c", "spots/d")

        try await coordinator.pop(to: "spots/a")
        #expect(stage.links == ["spots/a", "spots/b", "spots/a"])

        let error = await #expect(throws: NavigationError.self) { try await coordinator.pop(to: "spots/c") }
        #expect(error?.code == "notOnStack")
        #expect(error?.message == "'spots/c' is not on the stack.")
        #expect(stage.links == ["spots/a", "spots/b", "spots/a"])
    }

    @Test("Replacing exchanges the current entry and releases its view model")
    func replace() async throws {
        try await open("spots/a", "spots/b")
        weak let replaced = try stage.current()

        try await coordinator.replace(with: Spot(name: "c"))

        #expect(stage.links == ["spots/a", "spots/c"])
        #expect(replaced == nil)
        try await coordinator.root()
        try await coordinator.replace(with: Spot(name: "d"))
        #expect(stage.links == ["spots/d"])
    }

    @Test("Replacing the whole stack reuses the entries whose links stay")
    func replaceAll() async throws {
        try await open("spots/a", "spots/b", "spots/c")
        let last = try stage.current()
        let ids = coordinator.state.entries.map(\.id)
        _ = stage.takeEvents()

        try await coordinator.replaceAll(with: ["spots/x", "spots/a", "spots/c"])

        #expect(stage.links == ["spots/x", "spots/a", "spots/c"])
        #expect(coordinator.state.entries.map(\.id) == [4, ids[0], ids[2]])
        #expect(try stage.current() === last)
        #expect(stage.takeEvents() == [])

        try await coordinator.replaceAll(with: [])
        #expect(stage.links == [])
    }

    @Test("Replacing the whole stack reuses an entry for each occurrence of its link")
    func replaceAllWithTwins() async throws {
        try await open("spots/a", "spots/a")

        try await coordinator.replaceAll(with: ["spots/a", "spots/a", "spots/a"])

        #expect(coordinator.state.entries.map(\.id) == [1, 2, 3])
    }

    @Test("Bringing to the front moves an entry of the stack, or pushes a new one")
    func bringToFront() async throws {
        try await open("spots/a", "spots/b", "spots/c")
        _ = stage.takeEvents()

        try await coordinator.bringToFront(Spot(name: "a"))
        #expect(coordinator.state.entries.map(\.id) == [2, 3, 1])
        #expect(stage.takeEvents() == [])

        try await coordinator.bringToFront(Spot(name: "d"))
        #expect(stage.links == ["spots/b", "spots/c", "spots/a", "spots/d"])
        #expect(stage.takeEvents() == ["build spots/d"])
    }

    @Test(
        "A screen's tasks are cancelled when its entry leaves, by any operation",
        arguments: [
            NavigationRequest.back, .root, NavigationRequest(.popTo, link: "spots/a"),
            NavigationRequest(.replace, link: "spots/c"), NavigationRequest(.replaceAll, links: ["spots/c"]),
        ])
    func tasks(_ request: NavigationRequest) async throws {
        let gate = Gate()
        stage.director.builds["spots/b"] = { viewModel in
            viewModel.tasks.run("watch") { try? await gate.pass() }
        }
        try await open("spots/a", "spots/b")
        let tasks = try stage.current().tasks
        try await until("the task runs") { gate.arrivals == 1 }
        #expect(tasks.count == 1)

        try await coordinator.navigate(request)

        try await until("the task has ended") { tasks.count == 0 }
    }

    @Test("A screen's tasks continue while another entry is above it")
    func tasksBelow() async throws {
        let gate = Gate()
        stage.director.builds["spots/a"] = { viewModel in
            viewModel.tasks.run("watch") { try? await gate.pass() }
        }
        try await open("spots/a")
        let tasks = try stage.current().tasks

        try await open("spots/b")
        for _ in 0..<50 { await Task.yield() }

        #expect(tasks.count == 1)
        gate.open()
        try await until("the task has ended") { tasks.count == 0 }
    }
}
