@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("A failed navigation changes nothing")
@MainActor
struct FailedNavigationTests {
    private let house: House
    private let coordinator: Coordinator

    init() throws {
        house = try House()
        coordinator = house.coordinator()
    }

    @Test("A screen that can't load is not entered")
    func loadThrows() async throws {
        try await coordinator.open("lobby")
        let before = coordinator.archive()
        house.door.isLocked = true

        await #expect(throws: Door.Locked.self) { try await coordinator.open("cellar") }
        await #expect(throws: Door.Locked.self) { try await coordinator.push(Cellar()) }

        #expect(coordinator.state == before)
        #expect(!coordinator.needsArchiving)
        #expect(try coordinator.currentScreen()?.view is LobbyView)
    }

    @Test("A full stack takes no more entries; the top one can be replaced")
    func full() async throws {
        for _ in 0..<NavigationState.capacity { try await coordinator.open("lobby") }

        let error = await #expect(throws: NavigationError.self) { try await coordinator.open("cellar") }
        try await coordinator.navigate(NavigationRequest(.replace, link: "cellar"))

        #expect(error?.code == "stackFull")
        #expect(
            error?.message == "'cellar' was not opened: the stack is full, with 2000 entries.")
        #expect(error?.hint == "back, or root for an empty stack")
        #expect(coordinator.state.entries.count == NavigationState.capacity)
        #expect(coordinator.currentEntry?.link == "cellar")
    }

    @Test("A screen whose load was cancelled is not entered, even if the load succeeded")
    func cancelled() async throws {
        let task = Task { [coordinator, house] in
            house.door.whilePassing = { withUnsafeCurrentTask { $0?.cancel() } }
            try await coordinator.open("cellar")
        }

        await #expect(throws: CancellationError.self) { try await task.value }

        #expect(coordinator.state == NavigationState())
    }

    @Test("A navigation requested while a screen loads runs after it")
    func meanwhile() async throws {
        house.door.whilePassing = { [coordinator] in try? await coordinator.open("lobby") }

        try await coordinator.open("cellar")

        #expect(coordinator.links == ["cellar", "lobby"])
        #expect(coordinator.state.entries.map(\.id) == [1, 2])
        #expect(try coordinator.currentScreen()?.view is LobbyView)
    }

    @Test(
        "An unknown link fails with a hint at the nearest one",
        arguments: [
            ("loby", "Did you mean 'lobby'? 'links' lists all."),
            ("rooms", "Did you mean 'rooms/:number'? 'links' lists all."),
            ("rooms/1/2/3/4", "Did you mean 'rooms/:number'? 'links' lists all."),
            ("zzzzzz", "'links' lists the links of all screens."),
        ])
    func unknownLink(_ link: String, _ hint: String) async throws {
        let error = await #expect(throws: NavigationError.self) { try await coordinator.open(link) }

        #expect(error?.code == .unknownLink)
        // For a typing error nobody waits.
        let waits = !hint.hasPrefix("Did you mean")
        #expect(
            error?.message == "No screen has the link '\(link)'."
                + (waits ? " It is announced once a module has it." : ""))
        #expect(error?.hint == hint)
        #expect(coordinator.state.entries.isEmpty)
        #expect(coordinator.waitingLinks.map(\.link) == (waits ? [link] : []))
    }

    @Test("An unknown link that is too long does not wait for a module")
    func long() async throws {
        let link = String(repeating: "x", count: 4_097)

        let error = await #expect(throws: NavigationError.self) { try await coordinator.open(link) }

        #expect(error?.code == .badLink)
        #expect(coordinator.state == NavigationState())
    }

    @Test("A link with a wrong value fails before anything is built")
    func badLink() async throws {
        let error = await #expect(throws: LinkError.self) { try await coordinator.open("rooms/x?light=on") }
        await #expect(throws: LinkError.self) { try await coordinator.open("") }

        #expect(error?.message == "In 'rooms/x?light=on', 'number' must be a whole number, not 'x'.")
        #expect(coordinator.state == NavigationState())
    }

    @Test("Pushing a destination without a screen fails")
    func unregistered() async throws {
        let error = await #expect(throws: NavigationError.self) { try await coordinator.push(Unregistered()) }

        #expect(error?.code == .unknownLink)
        #expect(error?.message == "No active module registers a screen for the destination 'nowhere'.")
        #expect(coordinator.state == NavigationState())
    }

    @Test("A screen that can't be built is not entered")
    func notBuilt() async throws {
        let registry = House.registry("Rooms") { registry in
            registry.screen(Unregistered.self) { RoomView(viewModel: try $0.viewModel(1)) }
        }
        try house.screens.add(registry.screens)

        let error = await #expect(throws: ResolutionError.self) { try await coordinator.open("nowhere") }

        #expect(error?.code == .argumentMismatch)
        #expect(coordinator.state == NavigationState())
    }
}
