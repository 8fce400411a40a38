@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("Redirects of guards, and resuming the intent")
@MainActor
struct RedirectTests {
    private let stage: Stage
    private let coordinator: Coordinator
    private var director: Director { stage.director }

    init() throws {
        stage = try Stage()
        coordinator = stage.coordinator
    }

    @Test("The entry of a redirect stores the intent")
    func redirect() async throws {
        director.redirect(.member, to: "desks/in")

        let arrival = try await coordinator.open(Link("vaults/a"))

        #expect(stage.links == ["desks/in"])
        #expect(arrival.redirect?.reason == "First things first.")
        let intent = StackEntry.Intent(
            request: .push("vaults/a"), guardName: "member", reason: "First things first.", stays: false)
        #expect(coordinator.currentEntry?.intents == [intent])
        #expect(stage.takeEvents() == ["member? vaults/a", "build desks/in"])
    }

    @Test("Once the guard allows it, the requested entry replaces the entry of the redirect")
    func resume() async throws {
        try await coordinator.open("spots/a")
        director.redirect(.member, to: "desks/in")
        try await coordinator.open("vaults/a")

        #expect(try await coordinator.resumeIntent() == nil)
        #expect(stage.links == ["spots/a", "desks/in"])

        director.allow(.member)
        #expect(try await coordinator.resumeIntent()?.hasMoved == true)
        #expect(stage.links == ["spots/a", "vaults/a"])
        #expect(try await coordinator.resumeIntent() == nil)
    }

    @Test("Going back from the redirect of a revealed entry leaves that entry too, unless it objects")
    func backFromReveal() async throws {
        try await coordinator.open("spots/a")
        try await coordinator.open("vaults/a")
        try stage.current().objections = ["Not stored."]
        director.redirect(.member, to: "desks/in")
        coordinator.invalidateGuardResults()
        _ = try await coordinator.evaluateCurrentGuards()
        #expect(stage.links == ["spots/a", "vaults/a", "desks/in"])

        await #expect(throws: NavigationError.self) { try await coordinator.back() }
        #expect(stage.links == ["spots/a", "vaults/a", "desks/in"])

        try await coordinator.navigate(.back.forced())
        #expect(stage.links == ["spots/a"])
        try await coordinator.open("vaults/b")
        #expect(stage.links == ["spots/a", "desks/in"])
        try await coordinator.back()
        #expect(stage.links == ["spots/a"])
    }

    @Test("Going back from the redirect of the bottom entry empties the stack")
    func backFromRevealAtBottom() async throws {
        try await coordinator.open("vaults/a")
        director.redirect(.member, to: "desks/in")
        coordinator.invalidateGuardResults()
        _ = try await coordinator.evaluateCurrentGuards()

        try await coordinator.back()

        #expect(stage.links == [])
    }

    @Test("A redirect that stays remains below the requested entry")
    func staying() async throws {
        director.redirect(.member, to: "desks/in", staying: true)
        try await coordinator.open("vaults/a")
        director.allow(.member)

        _ = try await coordinator.resumeIntent()

        #expect(stage.links == ["desks/in", "vaults/a"])
        #expect(coordinator.state.entries.allSatisfy { $0.intents.isEmpty })
    }

    @Test("A resumed replacement replaces the original entry")
    func replacing() async throws {
        try await coordinator.open("spots/a")
        try await coordinator.open("spots/b")
        director.redirect(.member, to: "desks/in")
        try await coordinator.replace(with: Vault(name: "a"))
        #expect(stage.links == ["spots/a", "spots/b", "desks/in"])
        director.allow(.member)

        _ = try await coordinator.resumeIntent()

        #expect(stage.links == ["spots/a", "vaults/a"])
    }

    @Test(
        "If resuming fails, the redirect and its intent are unchanged",
        arguments: [NavigationRequest.push("vaults/a"), NavigationRequest(.replace, link: "vaults/a")])
    func goingOnFails(_ request: NavigationRequest) async throws {
        try await coordinator.open("spots/a")
        director.redirect(.member, to: "desks/in")
        try await coordinator.navigate(request)
        director.allow(.member)
        director.loads["vaults/a"] = { _ in throw Director.Mishap() }

        await #expect(throws: Director.Mishap.self) { try await coordinator.resumeIntent() }
        #expect(stage.links == ["spots/a", "desks/in"])
        #expect(coordinator.currentEntry?.intents.map(\.request) == [request])

        director.loads["vaults/a"] = nil
        _ = try await coordinator.resumeIntent()
        #expect(stage.links.last == "vaults/a")
        #expect(!stage.links.contains("desks/in"))
    }

    @Test("An intent survives a restart and can be resumed then")
    func restart() async throws {
        director.redirect(.member, to: "desks/in")
        try await coordinator.open("vaults/a")
        let next = try stage.restarted()
        #expect(next.coordinator.state == coordinator.state)

        #expect(try await next.coordinator.resumeIntent() == nil)
        director.allow(.member)
        _ = try await next.coordinator.resumeIntent()

        #expect(next.links == ["vaults/a"])
    }

    @Test("After two redirects, the intents are resumed one by one, the last first")
    func twice() async throws {
        director.redirect(.member, to: "office")
        director.redirect(.curator, to: "desks/in")
        try await coordinator.open("vaults/a")
        #expect(stage.links == ["desks/in"])
        #expect(coordinator.currentEntry?.intents.map(\.request.link) == ["vaults/a", "office"])

        director.allow(.curator)
        _ = try await coordinator.resumeIntent()
        #expect(stage.links == ["office"])
        #expect(coordinator.currentEntry?.intents.map(\.request.link) == ["vaults/a"])

        director.allow(.member)
        _ = try await coordinator.resumeIntent()
        #expect(stage.links == ["vaults/a"])
    }

    @Test("If both guards allow it, one call resumes both intents")
    func twiceAtOnce() async throws {
        director.redirect(.member, to: "office")
        director.redirect(.curator, to: "desks/in")
        try await coordinator.open("vaults/a")
        director.allow(.curator)
        director.allow(.member)

        _ = try await coordinator.resumeIntent()

        #expect(stage.links == ["vaults/a"])
    }

    @Test("A second guard that redirects while resuming gets its own entry")
    func anotherOnTheWay() async throws {
        director.redirect(.member, to: "desks/in")
        try await coordinator.open("crypt")
        director.redirect(.curator, to: "desks/out")
        director.allow(.member)

        _ = try await coordinator.resumeIntent()
        #expect(coordinator.currentEntry?.link == "desks/out")

        director.allow(.curator)
        _ = try await coordinator.resumeIntent()
        #expect(stage.links == ["crypt"])
    }

    @Test("Nothing is resumed while another entry is current")
    func elsewhere() async throws {
        director.redirect(.member, to: "desks/in")
        try await coordinator.open("vaults/a")
        director.allow(.member)
        try await coordinator.open("spots/a")

        #expect(try await coordinator.resumeIntent() == nil)
        #expect(stage.links == ["desks/in", "spots/a"])

        try await coordinator.back()
        _ = try await coordinator.resumeIntent()
        #expect(stage.links == ["vaults/a"])
    }

    @Test("Leaving the redirect while its guard decides resumes nothing")
    func leftMeanwhile() async throws {
        try await coordinator.open("spots/a")
        director.redirect(.member, to: "desks/in")
        try await coordinator.open("vaults/a")
        director.verdicts[.member] = { [coordinator] _ in
            try await coordinator.back()
            return .allow
        }

        #expect(try await coordinator.resumeIntent() == nil)

        #expect(stage.links == ["spots/a"])
    }

    @Test("Guards that redirect in a loop fail with the chain of links")
    func loop() async throws {
        director.redirect(.member, to: "office")
        director.redirect(.curator, to: "vaults/a")

        let error = await #expect(throws: NavigationError.self) { try await coordinator.open("vaults/a") }

        #expect(error?.code == .redirectLoop)
        #expect(
            error?.message
                == "Guards redirect in a loop: vaults/a -> office -> vaults/a.")
        #expect(coordinator.state == NavigationState())
        #expect(stage.takeEvents() == ["member? vaults/a", "curator? office"])
    }

    @Test("Endless redirects are stopped")
    func limit() async throws {
        var count = 0
        director.verdicts[.member] = { _ in
            count += 1
            return .redirect(to: "vaults/\(count)", because: "Further on.")
        }

        let error = await #expect(throws: NavigationError.self) { try await coordinator.open("vaults/a") }

        #expect(error?.code == .redirectLoop)
        #expect(count == GuardEvaluator.limit)
        #expect(coordinator.state == NavigationState())
    }

    @Test("A redirected presentation is refused, with the redirect as the hint")
    func presenting() async throws {
        try await coordinator.open("spots/a")
        director.redirect(.member, to: "desks/in")

        let error = await #expect(throws: NavigationError.self) {
            try await coordinator.present(PresentedItem(link: "vaults/a"))
        }

        #expect(error?.code == .refused)
        #expect(error?.hint == "open desks/in")
        #expect(stage.links == ["spots/a"])
    }

    @Test("A restored entry that redirects is shown again when the guard allows it")
    func revealing() async throws {
        try await coordinator.open("vaults/a")
        try stage.current().note = "kept"
        let next = try stage.restarted()
        director.redirect(.member, to: "desks/in")

        let arrival = try await next.coordinator.evaluateCurrentGuards()
        #expect(arrival?.redirect?.guardName == "member")
        #expect(next.links == ["vaults/a", "desks/in"])

        director.allow(.member)
        _ = try await next.coordinator.resumeIntent()
        #expect(next.links == ["vaults/a"])
        #expect(try next.current().note == "kept")
        #expect(try await next.coordinator.evaluateCurrentGuards() == nil)
    }

    @Test("The intent of a restored entry waits while the entry's module is removed")
    func revealingRemoved() async throws {
        try await coordinator.open("vaults/a")
        let next = try stage.restarted()
        director.redirect(.member, to: "desks/in")
        _ = try await next.coordinator.evaluateCurrentGuards()
        director.allow(.member)
        try next.remove("Places")

        #expect(try await next.coordinator.resumeIntent() == nil)

        #expect(next.links == ["vaults/a", "desks/in"])
        try next.add("Places")
        _ = try await next.coordinator.resumeIntent()
        #expect(next.links == ["vaults/a"])
    }

    @Test("Replacing the stack pushes the redirect if the last entry redirects")
    func replaceAll() async throws {
        director.redirect(.member, to: "desks/in")
        try await coordinator.replaceAll(with: ["spots/a", "vaults/a"])
        #expect(stage.links == ["spots/a", "desks/in"])
        director.allow(.member)

        _ = try await coordinator.resumeIntent()

        #expect(stage.links == ["spots/a", "vaults/a"])
    }

    @Test("The unknown link of a redirect does not wait for a module")
    func unknownRedirect() async throws {
        director.redirect(.member, to: "nowhere")

        await #expect(throws: NavigationError.self) { try await coordinator.open("vaults/a") }

        #expect(coordinator.waitingLinks.isEmpty)
        #expect(coordinator.state.entries.isEmpty)
    }
}
