@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("Releasing coordinators and prepared screens")
@MainActor
struct CoordinatorReleaseTests {
    private let house: House

    init() throws {
        house = try House()
    }

    @Test("A prepared screen that is not entered is released")
    func prepared() async throws {
        let coordinator = house.coordinator()
        var prepared = try coordinator.loadedRoute(Link("rooms/7?light=on")).map(coordinator.build)
        weak let room = (prepared?.screen.view as? RoomView)?.viewModel
        #expect(room != nil)

        prepared = nil

        #expect(room == nil)
    }

    @Test("A coordinator whose stack was emptied is released")
    func emptied() async throws {
        var coordinator: Coordinator? = house.coordinator()
        weak let released = coordinator
        try await coordinator?.open("rooms/7?light=on")
        try await coordinator?.root()

        coordinator = nil

        #expect(released == nil)
    }

    @Test("A preview is released with its screen and view model")
    func detached() async throws {
        var coordinator: Coordinator? = house.coordinator().detached()
        weak let released = coordinator
        try await coordinator?.open("rooms/7?light=on")
        weak let room = try coordinator?.room()
        #expect(room != nil)

        coordinator = nil

        #expect(released == nil)
        #expect(room == nil)
    }
}
