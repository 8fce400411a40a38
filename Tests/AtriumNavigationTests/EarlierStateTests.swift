@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("State that does not fit, or can't be saved")
@MainActor
struct EarlierStateTests {
    /// The current room of a stack whose saved state was written by another build.
    private func coordinator(state: String, _ reports: Reports) async throws -> Coordinator {
        let first = try House().coordinator()
        try await first.open("rooms/7?light=on")
        var kept = first.archive()
        kept.update(1) { $0.state = ["RoomViewModel": state] }
        return try restarted(kept, reports)
    }

    private func restarted(_ state: NavigationState, _ reports: Reports) throws -> Coordinator {
        let decoded = try StateCoding.decode(NavigationState.self, from: StateCoding.encode(state))
        let coordinator = try House().coordinator(decoded)
        coordinator.reportError = { reports.errors.append(($0 as? NavigationError)?.message ?? "other") }
        return coordinator
    }

    @MainActor final class Reports { var errors: [String] = [] }

    private static let misfit =
        "The saved state of screen 'rooms/7?light=on' does not fit this build of module 'Rooms': in RoomViewModel "

    @Test(
        "State that does not fit is told with its field, and kept beside the fresh one",
        arguments: [
            ("{}", "field 'visitors' is missing."),
            (#"{"visitors":"many"}"#, "field 'visitors' has another type."),
            ("x", "the whole value has a value that can't be read."),
        ])
    func kept(state: String, reason: String) async throws {
        let reports = Reports()
        let coordinator = try await coordinator(state: state, reports)

        let room = try coordinator.room()

        #expect(room?.visitors == 0)
        #expect(reports.errors == [Self.misfit + reason])
        #expect(coordinator.currentEntry?.earlier?["RoomViewModel"]?.states == [state])
        _ = try coordinator.room()
        #expect(reports.errors.count == 1)
    }

    @Test("With a build that it fits, it comes back if the screen was not used meanwhile")
    func comesBack() async throws {
        let reports = Reports()
        let other = try await coordinator(state: #"{"guests":5}"#, reports)
        _ = try other.room()
        var archive = other.archive()
        // The next build can read what the one before could not.
        archive.update(1) { $0.earlier?["RoomViewModel"]?.states = [#"{"visitors":5}"#] }

        let coordinator = try restarted(archive, reports)

        #expect(try coordinator.room()?.visitors == 5)
        #expect(coordinator.currentEntry?.earlier == nil)
        #expect(coordinator.currentEntry?.state == ["RoomViewModel": #"{"visitors":5}"#])
    }

    @Test("If the screen was used, it is offered, and the present state takes its place")
    func isOffered() async throws {
        let reports = Reports()
        let other = try await coordinator(state: #"{"guests":5}"#, reports)
        _ = try await other.loadedScreen()
        try other.room()?.visitors = 2
        var archive = other.archive()
        archive.update(1) { $0.earlier?["RoomViewModel"]?.states = [#"{"visitors":5}"#] }
        reports.errors = []
        let coordinator = try restarted(archive, reports)
        _ = try await coordinator.loadedScreen()

        #expect(try coordinator.room()?.visitors == 2)
        #expect(
            reports.errors
                == ["An earlier state of screen 'rooms/7?light=on' fits this build of module 'Rooms' again."])

        try coordinator.restoreEarlierState()
        #expect(try coordinator.room()?.visitors == 5)
        try coordinator.restoreEarlierState()
        #expect(try coordinator.room()?.visitors == 2)
        #expect(coordinator.currentEntry?.earlier?["RoomViewModel"]?.states == [#"{"visitors":5}"#])
    }

    @Test("Input that the user has reset does not come back as the earlier state")
    func reset() async throws {
        let reports = Reports()
        let other = try await coordinator(state: #"{"guests":5}"#, reports)
        _ = try await other.loadedScreen()
        try other.room()?.visitors = 2
        _ = other.archive()
        try other.room()?.visitors = 0
        var archive = other.archive()
        archive.update(1) { $0.earlier?["RoomViewModel"]?.states = [#"{"visitors":5}"#] }
        let coordinator = try restarted(archive, reports)

        #expect(try coordinator.room()?.visitors == 0)
        #expect(coordinator.currentEntry?.earlier?["RoomViewModel"]?.states == [#"{"visitors":5}"#])
        try coordinator.restoreEarlierState()
        #expect(try coordinator.room()?.visitors == 5)
    }

    @Test("A second misfit does not replace the first; unused states are not kept")
    func several() async throws {
        let reports = Reports()
        let first = try await coordinator(state: #"{"a":1}"#, reports)
        _ = try first.room()
        var archive = first.archive()
        archive.update(1) { $0.state = ["RoomViewModel": #"{"b":2}"#] }
        let second = try restarted(archive, reports)
        _ = try second.room()

        #expect(second.currentEntry?.earlier?["RoomViewModel"]?.states == [#"{"a":1}"#, #"{"b":2}"#])

        archive = second.archive()
        archive.update(1) { $0.earlier?["RoomViewModel"]?.unused = "{}" }
        archive.update(1) { $0.state = ["RoomViewModel": "{}"] }
        let third = try restarted(archive, reports)
        _ = try third.room()
        #expect(third.currentEntry?.earlier?["RoomViewModel"]?.states == [#"{"a":1}"#, #"{"b":2}"#])
    }

    @Test("Without an earlier state, there is nothing to restore")
    func nothing() async throws {
        let coordinator = try House().coordinator()
        let atRoot = #expect(throws: NavigationError.self) { try coordinator.restoreEarlierState() }
        try await coordinator.open("rooms/7?light=on")
        let error = #expect(throws: NavigationError.self) { try coordinator.restoreEarlierState() }

        #expect(atRoot?.message == "At the root there is no screen whose state could be restored.")
        #expect(error?.message == "No earlier state of screen 'rooms/7?light=on' is kept that fits it.")
    }

    // MARK: - What can't be saved

    @Test("A state that can't be encoded is told once, and costs nothing of the others")
    func notANumber() async throws {
        let stage = try Stage()
        var errors: [String] = []
        stage.coordinator.reportError = { errors.append(($0 as? NavigationError)?.message ?? "other") }
        try await stage.coordinator.open("spots/a")
        try stage.current().note = "kept"
        try await stage.coordinator.open("spots/b")
        try stage.current().note = "before"
        _ = stage.coordinator.archive()
        try stage.current().note = "after"
        try stage.current().share = .nan

        let archive = stage.coordinator.archive()
        _ = stage.coordinator.archive()

        #expect(
            errors == [
                "The state of screen 'spots/b' of module 'Places' can't be saved: in ActorViewModel field "
                    + "'share' has the value nan, which can't be saved."
            ])
        #expect(archive.entries[0].state["ActorViewModel"]?.contains("kept") == true)
        #expect(archive.entries[1].state["ActorViewModel"]?.contains("before") == true)
        try stage.current().share = 1
        #expect(stage.coordinator.archive().entries[1].state["ActorViewModel"]?.contains("after") == true)
        try stage.current().share = .nan
        _ = stage.coordinator.archive()
        #expect(errors.count == 2)
    }

    @Test("An entry whose destination can't be encoded is left out of the saved stack, and named")
    func destination() throws {
        struct Scale: Destination {
            static let pattern: LinkPattern = "scale"
            let weight: Double
        }
        let coordinator = try House().coordinator()
        var errors: [String] = []
        coordinator.reportError = { errors.append(($0 as? NavigationError)?.message ?? "other") }
        var state = NavigationState()
        for (id, weight) in [(1, 1.5), (2, Double.infinity)] {
            let entry = StackEntry(
                id: id, module: "Shop", destination: "scale", version: 1, link: "scale",
                properties: ArchivedDestination(Scale(weight: weight)))
            _ = state.apply(.push(entry))
        }

        let savable = coordinator.savable(state)

        #expect(throws: EncodingError.self) { try StateCoding.encode(state) }
        #expect(throws: Never.self) { try StateCoding.encode(savable) }
        #expect(savable.entries.map(\.id) == [1])
        #expect(
            errors == [
                "The screen 'scale' of module 'Shop' can't be saved: in scale field 'weight' has the value inf, "
                    + "which can't be saved."
            ])
    }
}
