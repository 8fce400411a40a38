@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("Guards decide before a screen is built")
@MainActor
struct GuardTests {
    private let stage: Stage
    private let coordinator: Coordinator
    private var director: Director { stage.director }

    init() throws {
        stage = try Stage()
        coordinator = stage.coordinator
    }

    @Test("Each guard of a screen is called once, in order, then the screen is built once")
    func order() async throws {
        try await coordinator.open("crypt")

        #expect(
            director.takeEvents() == ["everywhere? crypt", "member? crypt", "curator? crypt", "build crypt"])
    }

    @Test("A guard of every screen is called for screens without guards; other guards are not")
    func reach() async throws {
        try await coordinator.open("spots/a")

        #expect(director.takeEvents() == ["everywhere? spots/a", "build spots/a"])
    }

    @Test(
        "One navigation calls a guard once, whatever its operation",
        arguments: [
            NavigationRequest.push("vaults/a"), NavigationRequest(.replace, link: "vaults/a"),
            NavigationRequest(.bringToFront, link: "vaults/a"), NavigationRequest(.present, link: "vaults/a"),
            NavigationRequest(.replaceAll, links: ["spots/a", "vaults/a"]),
        ])
    func once(_ request: NavigationRequest) async throws {
        try await coordinator.open("spots/z")
        _ = stage.takeEvents()

        try await coordinator.navigate(request)
        #expect(try await coordinator.evaluateCurrentGuards() == nil)

        #expect(stage.takeEvents() == ["member? vaults/a", "build vaults/a"])
    }

    @Test("A denial carries its reason and hint; no further guard is called and nothing is built")
    func deny() async throws {
        director.verdicts[.member] = { _ in .deny("Members only.", hint: "join") }

        let error = await #expect(throws: NavigationError.self) { try await coordinator.open("crypt") }

        #expect(error?.code == .refused)
        #expect(error?.category == .refused)
        #expect(error?.message == "'crypt' was refused by guard 'member': Members only.")
        #expect(error?.hint == "join")
        #expect(stage.takeEvents() == ["member? crypt"])
        #expect(coordinator.state == NavigationState())
    }

    @Test("A guard that throws refuses, and its error is the cause")
    func throwing() async throws {
        director.verdicts[.member] = { _ in throw Director.Mishap() }

        let error = await #expect(throws: NavigationError.self) { try await coordinator.open("vaults/a") }

        #expect(error?.code == .refused)
        #expect(error?.cause is Director.Mishap)
        #expect(stage.takeEvents() == ["member? vaults/a"])
    }

    @Test("A guard that does not answer in time refuses, and its module is named; nothing is built")
    func silent() async throws {
        coordinator.guards.limit = .zero
        director.verdicts[.member] = Self.neverAnswers

        let error = await #expect(throws: NavigationError.self) { try await coordinator.open("vaults/a") }
        let explained = await coordinator.explain(try Link("vaults/a"))

        #expect(error?.code == .refused)
        #expect(
            error?.message
                == "'vaults/a' was refused because guard 'member' of module 'Guards' failed: Its check did not "
                + "end within 0 s.")
        #expect(error?.hint != nil)
        #expect(explained.problem?.message == error?.message)
        #expect(stage.takeEvents() == ["member? vaults/a", "member? vaults/a"])
        #expect(coordinator.state == NavigationState())
    }

    @Test("A cancelled navigation does not wait for a guard, and a newer one takes its turn")
    func cancelled() async throws {
        director.verdicts[.member] = Self.neverAnswers

        let first = Task { [coordinator] in try await coordinator.open("vaults/a") }
        try await until("the guard is called") { director.events.contains("member? vaults/a") }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { [coordinator] in try await coordinator.open("vaults/b") }
        try await until("the guard is called") { director.events.contains("member? vaults/b") }
        try await coordinator.open("spots/a")

        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(coordinator.links == ["spots/a"])
    }

    private static let neverAnswers: @MainActor (NavigationAttempt) async throws -> GuardVerdict = { _ in
        await withUnsafeContinuation { (_: UnsafeContinuation<GuardVerdict, Never>) in }
    }

    @Test("A screen that requires a missing guard is refused")
    func missing() async throws {
        let error = await #expect(throws: NavigationError.self) { try await coordinator.open("abyss") }

        #expect(error?.code == .refused)
        #expect(
            error?.message
                == "'abyss' of module 'Places' requires guard 'nobody', but no active module provides it.")
        #expect(stage.takeEvents() == [])
    }

    @Test("A screen is refused while the module of its guard is removed, and guarded again once it is back")
    func removed() async throws {
        try await coordinator.open("vaults/a")
        try stage.remove("Guards")

        await #expect(throws: NavigationError.self) { try await coordinator.open("vaults/b") }
        try await coordinator.open("spots/a")
        try stage.add("Guards")
        _ = stage.takeEvents()
        try await coordinator.open("vaults/b")

        #expect(stage.takeEvents() == ["member? vaults/b", "build vaults/b"])
    }

    @Test("If a guard can't be built, no screen opens, but an alert can be presented")
    func notBuilt() async throws {
        director.guardsFail = true

        let error = await #expect(throws: NavigationError.self) { try await coordinator.open("spots/a") }
        #expect(error?.code == .refused)

        let answer = Task { [coordinator] in try await coordinator.alert(Alert("No guards")) }
        try await until("the alert is shown") { !coordinator.waiting.isEmpty }
        #expect(coordinator.links == ["alert"])
        try await coordinator.dismiss(returning: "ok")
        #expect(try await answer.value == "ok")
    }

    @Test("The guards of a restored entry are called again; if refused, the entry stays but is not shown")
    func restored() async throws {
        try await coordinator.open("vaults/a")
        let next = try stage.restarted()
        #expect(!next.coordinator.isCurrentAllowed)
        director.verdicts[.member] = { _ in .deny("Members only.") }
        _ = next.takeEvents()

        let error = await #expect(throws: NavigationError.self) {
            try await next.coordinator.evaluateCurrentGuards()
        }

        #expect(error?.code == .refused)
        #expect(error?.isAboutCurrentEntry == true)
        #expect(next.links == ["vaults/a"])
        #expect(next.takeEvents() == ["member? vaults/a"])

        director.allow(.member)
        #expect(try await next.coordinator.evaluateCurrentGuards() == nil)
        #expect(next.coordinator.isCurrentAllowed)
    }

    @Test(
        "The guards of an entry are called again when it becomes current",
        arguments: [
            NavigationRequest.back, NavigationRequest(.bringToFront, link: "vaults/a"),
            NavigationRequest(.popTo, link: "vaults/a"), NavigationRequest(.replaceAll, links: ["vaults/a"]),
        ])
    func below(_ request: NavigationRequest) async throws {
        try await coordinator.open("vaults/a")
        try await coordinator.open("spots/a")
        _ = stage.takeEvents()

        try await coordinator.navigate(request)
        #expect(!coordinator.isCurrentAllowed)
        #expect(try await coordinator.evaluateCurrentGuards() == nil)
        #expect(try await coordinator.evaluateCurrentGuards() == nil)

        #expect(stage.takeEvents() == ["member? vaults/a"])
    }

    @Test("Explaining a link calls its guards and builds nothing")
    func explain() async throws {
        director.redirect(.member, to: "office")

        let explanation = await coordinator.explain(try Link("vaults/a"))

        #expect(explanation.path == ["vaults/a", "office"])
        #expect(explanation.destination == "office")
        #expect(stage.takeEvents() == ["member? vaults/a", "curator? office"])
        #expect(coordinator.state == NavigationState())
    }
}
