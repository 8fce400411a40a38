@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("Moving between screens")
@MainActor
struct CoordinatorTests {
    private let house: House
    private let coordinator: Coordinator

    init() throws {
        house = try House()
        coordinator = house.coordinator()
    }

    @Test("Opening links and pushing destinations puts entries of any module on the stack")
    func entering() async throws {
        try await coordinator.open("lobby")
        try await coordinator.push(Room(number: 7))
        try await coordinator.open("rooms/8?light=off")

        #expect(coordinator.links == ["lobby", "rooms/7?light=on", "rooms/8?light=off"])
        #expect(
            coordinator.currentEntry
                == StackEntry(
                    id: 3, module: "Rooms", destination: "room", version: 1, link: "rooms/8?light=off",
                    properties: ArchivedDestination(json: #"{"light":"off","number":8}"#)))
    }

    @Test("A view model navigates on its own stack")
    func viewModelNavigates() async throws {
        try await coordinator.open("rooms/7?light=on")

        try await coordinator.room()?.navigator.push(Lobby())

        #expect(coordinator.links == ["rooms/7?light=on", "lobby"])
    }

    @Test("A screen is loaded when it is entered, and again only on request")
    func loading() async throws {
        try await coordinator.open("rooms/7?light=on")
        let room = try #require(try coordinator.room())

        _ = try await coordinator.loadedScreen()
        #expect(room.loads == 1)

        _ = try await coordinator.loadedScreen(again: true)
        #expect(room.loads == 2)
        #expect(try coordinator.room() === room)

        let restarted = house.coordinator(coordinator.archive())
        for _ in 1...2 { _ = try await restarted.loadedScreen() }
        #expect(try restarted.room()?.loads == 1)
    }

    @Test("Going back shows the entry below with the same view model")
    func back() async throws {
        try await coordinator.open("rooms/7?light=on")
        let room = try #require(try coordinator.room())
        try await coordinator.open("lobby")

        try await coordinator.back()

        #expect(coordinator.links == ["rooms/7?light=on"])
        #expect(try coordinator.room() === room)
    }

    @Test("At the root, going back or to the root changes nothing and there is no screen")
    func atRoot() async throws {
        try await coordinator.back()
        try await coordinator.root()

        #expect(coordinator.state == NavigationState())
        #expect(coordinator.currentEntry == nil)
        #expect(try await coordinator.loadedScreen() == nil)
        #expect(!coordinator.needsArchiving)
    }

    @Test("Leaving an entry releases its own view model and no other")
    func release() async throws {
        try await coordinator.open("rooms/7?light=on")
        weak let below = try coordinator.room()
        try await coordinator.open("rooms/8?light=on")
        weak let top = try coordinator.room()
        #expect(below != nil && top != nil)

        try await coordinator.back()

        #expect(top == nil)
        #expect(below != nil)

        try await coordinator.root()

        #expect(below == nil)
    }

    @Test("A preview does not change the stack")
    func detached() async throws {
        try await coordinator.open("lobby")
        let before = coordinator.state
        let detached = coordinator.detached()

        try await detached.open("rooms/7?light=on")

        #expect(detached.links == ["rooms/7?light=on"])
        #expect(coordinator.state == before)
    }

    @Test("A prepared screen is built, but neither loaded nor entered")
    func prepare() async throws {
        let link = try Link("rooms/7?light=on")
        let prepared = try #require(try coordinator.loadedRoute(link).map(coordinator.build))

        #expect((prepared.screen.view as? RoomView)?.viewModel.loads == 0)
        #expect(coordinator.state == NavigationState())
        #expect(try coordinator.loadedRoute(try Link("attic")).map(coordinator.build) == nil)

        try await coordinator.enter(prepared)

        #expect(coordinator.links == ["rooms/7?light=on"])
        #expect(try coordinator.currentScreen() === prepared.screen)
    }
}
