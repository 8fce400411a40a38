@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("Restoring an archived stack")
@MainActor
struct ArchiveTests {
    /// A stack of a lobby below a room with five visitors, encoded and decoded as for a restart.
    private func keptStack() async throws -> NavigationState {
        let coordinator = try House().coordinator()
        try await coordinator.open("lobby")
        try await coordinator.open("rooms/7?light=off")
        try coordinator.room()?.visitors = 5
        return try StateCoding.decode(NavigationState.self, from: StateCoding.encode(coordinator.archive()))
    }

    @Test("Restoring gives an equal stack, and a view model gets its saved state before its first load")
    func restore() async throws {
        let kept = try await keptStack()
        let coordinator = try House().coordinator(kept)

        let screen = try await coordinator.loadedScreen()

        let room = try #require((screen?.view as? RoomView)?.viewModel)
        #expect(coordinator.state == kept)
        #expect(coordinator.links == ["lobby", "rooms/7?light=off"])
        #expect(room.visitors == 5)
        #expect(room.restoredBeforeLoad)
        #expect(room.loads == 1)
        #expect(coordinator.archive() == kept)
    }

    @Test("New entries get unused ids, also after a restart")
    func ids() async throws {
        let coordinator = try House().coordinator(try await keptStack())

        try await coordinator.back()
        try await coordinator.open("lobby")

        #expect(coordinator.state.entries.map(\.id) == [1, 3])
    }

    @Test("Archiving a screen that was built but not loaded keeps its restored state")
    func notLoaded() async throws {
        let kept = try await keptStack()
        let coordinator = try House().coordinator(kept)

        try coordinator.room()?.visitors = 99

        #expect(coordinator.archive() == kept)
    }

    @Test("An entry of an inactive module stays, and can be shown once the module is active again")
    func inactiveModule() async throws {
        let kept = try await keptStack()
        let house = try House(rooms: 0)
        let coordinator = house.coordinator(kept)

        let error = #expect(throws: NavigationError.self) { try coordinator.currentScreen() }

        #expect(error?.code == .screenUnavailable)
        #expect(error?.category == .module)
        #expect(
            error?.message == "The screen 'rooms/7?light=off' belongs to module 'Rooms', which is not active."
        )
        #expect(error?.hint == "why Rooms")
        #expect(coordinator.state == kept)
        #expect(coordinator.archive() == kept)

        try house.addRooms()

        #expect(try coordinator.room()?.visitors == 5)
    }

    @Test("An entry that can't be migrated stays, and the error names both versions")
    func otherVersion() async throws {
        let kept = try await keptStack()
        let coordinator = try House(rooms: 2).coordinator(kept)

        let error = await #expect(throws: NavigationError.self) { try await coordinator.loadedScreen() }

        #expect(error?.code == .screenUnavailable)
        #expect(
            error?.message
                == "'rooms/7?light=off' can't be shown. The stack entry 'room' was saved by version 1 of its "
                + "destination, which version 2 of module 'Rooms' can't migrate.")
        #expect(error?.hint == "back")
        #expect(coordinator.state == kept)

        try await coordinator.back()

        #expect(try coordinator.currentScreen()?.view is LobbyView)
    }

    @Test(
        "An entry with unreadable properties stays on the stack",
        arguments: ["{}", "x", #"{"number":"7","light":"on"}"#])
    func unreadable(_ properties: String) throws {
        var kept = NavigationState()
        let entry = StackEntry(
            id: 1, module: "Rooms", destination: "room", version: 1, link: "rooms/7",
            properties: ArchivedDestination(json: properties))
        _ = kept.apply(.push(entry))
        let coordinator = try House().coordinator(kept)

        let error = #expect(throws: NavigationError.self) { try coordinator.currentScreen() }

        #expect(error?.code == .screenUnavailable)
        #expect(coordinator.state == kept)
    }

    @Test("The stack needs archiving after a change, and after a command unless it is empty")
    func needsArchiving() async throws {
        let coordinator = try House().coordinator()
        coordinator.stateMayHaveChanged()
        #expect(!coordinator.needsArchiving)

        try await coordinator.open("lobby")
        #expect(coordinator.needsArchiving)

        _ = coordinator.archive()
        #expect(!coordinator.needsArchiving)

        coordinator.stateMayHaveChanged()
        #expect(coordinator.needsArchiving)
    }
}
