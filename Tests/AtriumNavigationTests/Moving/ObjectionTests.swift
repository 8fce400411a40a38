@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("Screens may object to being left")
@MainActor
struct ObjectionTests {
    private let stage: Stage
    private let coordinator: Coordinator

    init() async throws {
        stage = try Stage()
        coordinator = stage.coordinator
        for link in ["spots/a", "spots/b"] { try await coordinator.open(link) }
    }

    nonisolated static let leaving = [
        NavigationRequest.back, .root, NavigationRequest(.popTo, link: "spots/a"),
        NavigationRequest(.replace, link: "spots/c"), NavigationRequest(.replaceAll, links: ["spots/a"]),
    ]

    @Test(
        "An objection stops each operation that would leave the screen, and the error says why",
        arguments: leaving)
    func one(_ request: NavigationRequest) async throws {
        try stage.current().objections = ["2 fields are not submitted."]
        let before = coordinator.state

        let error = await #expect(throws: NavigationError.self) { try await coordinator.navigate(request) }

        #expect(error?.code == .leaveObjected)
        #expect(error?.message == "'spots/b' can't be left: 2 fields are not submitted.")
        #expect(error?.hint == "save   or   \(request.forced().command)")
        #expect(error?.hint?.hasSuffix(" --force") == true)
        #expect(coordinator.state == before)
    }

    @Test("A forced request ignores objections", arguments: leaving)
    func forced(_ request: NavigationRequest) async throws {
        try stage.current().objections = ["2 fields are not submitted."]

        try await coordinator.navigate(request.forced())

        #expect(!stage.links.contains("spots/b"))
    }

    @Test("Screens that stay on the stack can't object")
    func staying() async throws {
        try stage.current().objections = ["2 fields are not submitted."]

        try await coordinator.open("spots/c")
        try await coordinator.back()
        try await coordinator.bringToFront(Spot(name: "a"))

        #expect(stage.links == ["spots/b", "spots/a"])
    }

    @Test("All screens that would leave can object; objections are listed from the top down")
    func several() async throws {
        try stage.current().objections = ["One.", "Two."]
        try await coordinator.open("spots/c")
        try stage.current().objections = ["Three."]

        let error = await #expect(throws: NavigationError.self) { try await coordinator.root() }

        #expect(error?.message == "3 objections prevent leaving.")
        #expect(error?.hint == "root --force")
        #expect(error?.objections.map(\.link) == ["spots/c", "spots/b", "spots/b"])
        #expect(error?.objections.map(\.objection.reason) == ["Three.", "One.", "Two."])
        #expect(stage.links.count == 3)
    }

    @Test("A restored screen that was not shown yet objects based on its saved state")
    func restored() async throws {
        try stage.current().note = "edited: the title"
        try await coordinator.open("spots/c")
        let next = try stage.restarted()

        let error = await #expect(throws: NavigationError.self) { try await next.coordinator.root() }

        #expect(error?.objections.map(\.link) == ["spots/b"])
        #expect(error?.objections.map(\.objection.reason) == ["edited: the title"])
        #expect(next.links == ["spots/a", "spots/b", "spots/c"])

        try await next.coordinator.navigate(.root.forced())
        #expect(next.links == [])
    }

    @Test("A presented screen can object to being dismissed, unless it returns a result")
    func presented() async throws {
        try await coordinator.navigate(NavigationRequest(.present, link: "pickers/word"))
        try stage.current().objections = ["Nothing is chosen yet."]

        await #expect(throws: NavigationError.self) { try await coordinator.dismiss() }
        #expect(stage.links.last == "pickers/word")

        try await coordinator.dismiss(returning: "word")
        #expect(stage.links == ["spots/a", "spots/b"])
    }

    @Test("Objections are checked before a redirect, not again when the intent is resumed")
    func redirect() async throws {
        stage.director.redirect(.member, to: "desks/in")
        try await coordinator.open("vaults/a")
        try stage.current().objections = ["The form is half filled in."]
        stage.director.allow(.member)

        _ = try await coordinator.resumeIntent()

        #expect(stage.links == ["spots/a", "spots/b", "vaults/a"])
    }
}
