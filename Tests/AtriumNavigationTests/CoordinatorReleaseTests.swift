@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("A coordinator that is let go")
@MainActor
struct CoordinatorReleaseTests {
    private let house: House

    init() throws {
        house = try House()
    }

    @Test("A visit that is not entered releases its screen")
    func visit() async throws {
        let coordinator = house.coordinator()
        var visit = try coordinator.prepare(Link("rooms/7?light=on"))
        weak let room = (visit?.screen.view as? RoomView)?.viewModel
        #expect(room != nil)

        visit = nil

        #expect(room == nil)
    }

    @Test("A coordinator without places is released, also after it had some")
    func emptied() async throws {
        var coordinator: Coordinator? = house.coordinator()
        weak let released = coordinator
        try await coordinator?.open("rooms/7?light=on")
        try await coordinator?.root()

        coordinator = nil

        #expect(released == nil)
    }

    @Test("One that looked at a place from anywhere is released with the place and its view models")
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
