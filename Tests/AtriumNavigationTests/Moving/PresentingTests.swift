@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("Presenting screens and returning results")
@MainActor
struct PresentingTests {
    private let stage: Stage
    private let coordinator: Coordinator
    private var director: Director { stage.director }

    init() async throws {
        stage = try Stage()
        coordinator = stage.coordinator
        try await coordinator.open("spots/a")
    }

    /// Presents a picker from the current view model and waits until it is shown.
    private func present(
        on stage: Stage, for slot: ResultSlot<String>? = .choice
    ) async throws -> Task<String?, any Error> {
        let presenter = try stage.current()
        let task = Task { try await presenter.navigator.present(Picker(kind: "word"), for: slot) }
        try await until("it is presented") { !stage.coordinator.waiting.isEmpty }
        #expect(stage.links.last == "pickers/word")
        return task
    }

    @Test("The waiting caller gets the result; it is not delivered to the slot as well")
    func result() async throws {
        let choice = try await present(on: stage)
        let presentation = StackEntry.Presentation(presenter: 1, slot: "choice")
        #expect(coordinator.currentEntry?.presentation == presentation)

        try await stage.current().navigator.dismiss(returning: "yes")

        #expect(try await choice.value == "yes")
        #expect(stage.links == ["spots/a"])
        #expect(try stage.current().received == [])
    }

    @Test(
        "Leaving a presented entry without a result returns nil",
        arguments: [
            NavigationRequest.back, .root, NavigationRequest(.popTo, link: "spots/a"),
            NavigationRequest(.dismiss, result: .cancelled),
            NavigationRequest(.replaceAll, links: ["spots/z"]),
            NavigationRequest(.bringToFront, link: "spots/a"),
        ])
    func cancelled(_ request: NavigationRequest) async throws {
        let choice = try await present(on: stage)

        try await coordinator.navigate(request)

        #expect(try await choice.value == nil)
        #expect(coordinator.waiting.isEmpty)
        #expect(!stage.links.contains("pickers/word"))
    }

    @Test("Dismissing also removes the entries above the presented one")
    func above() async throws {
        let choice = try await present(on: stage)
        try await coordinator.open("spots/b")
        try await coordinator.open("spots/c")

        try await coordinator.dismiss(returning: "yes")

        #expect(try await choice.value == "yes")
        #expect(stage.links == ["spots/a"])
    }

    @Test("Nested presentations return their results to their own presenters")
    func nested() async throws {
        let outer = try await present(on: stage)
        let presenter = try stage.current()
        let inner = Task { try await presenter.navigator.present(Picker(kind: "letter")) }
        try await until("both wait") { coordinator.waiting.count == 2 }

        try await coordinator.dismiss(returning: "x")
        #expect(try await inner.value == "x")
        try await coordinator.dismiss(returning: "word")

        #expect(try await outer.value == "word")
        #expect(stage.links == ["spots/a"])
    }

    @Test("A result of the wrong type throws at the waiting caller")
    func otherForm() async throws {
        let choice = try await present(on: stage)

        try await coordinator.dismiss(returning: 7)

        await #expect(throws: ArgumentError.self) { try await choice.value }
        #expect(stage.links == ["spots/a"])
    }

    @Test("Dismissing fails if nothing is presented")
    func nothing() async throws {
        let error = await #expect(throws: NavigationError.self) { try await coordinator.dismiss() }

        #expect(error?.code == "notPresented")
        #expect(stage.links == ["spots/a"])
    }

    @Test("Cancelling the caller leaves the entry presented; its result goes to the slot")
    func givenUp() async throws {
        let choice = try await present(on: stage)

        choice.cancel()
        await #expect(throws: CancellationError.self) { try await choice.value }
        #expect(stage.links == ["spots/a", "pickers/word"])
        try await coordinator.dismiss(returning: "late")
        _ = try await coordinator.loadedScreen()

        #expect(try stage.current().received == ["late"])
    }

    @Test("After a restart the presenter receives the result in its slot, once")
    func restart() async throws {
        let choice = try await present(on: stage)
        let next = try stage.restarted()
        choice.cancel()

        try await next.coordinator.dismiss(returning: "word")
        _ = try await next.coordinator.loadedScreen()
        _ = try await next.coordinator.loadedScreen()

        #expect(next.links == ["spots/a"])
        #expect(try next.current().received == ["word"])
        #expect(try next.current().loads == 1)
        #expect(next.coordinator.needsArchiving)
    }

    @Test("After a restart, leaving the presented entry without a result delivers nothing")
    func restartCancelled() async throws {
        let choice = try await present(on: stage)
        let next = try stage.restarted()
        choice.cancel()

        try await next.coordinator.back()

        #expect(try next.current().received == [])
    }

    @Test("A result is delivered later if its presenter fails to load at first")
    func delayedDelivery() async throws {
        let choice = try await present(on: stage)
        let next = try stage.restarted()
        choice.cancel()
        director.loads["spots/a"] = { _ in throw Director.Mishap() }
        try await next.coordinator.dismiss(returning: "word")
        await #expect(throws: Director.Mishap.self) { try await next.coordinator.loadedScreen() }
        director.loads["spots/a"] = nil

        _ = try await next.coordinator.loadedScreen()

        #expect(try next.current().received == ["word"])
    }

    @Test("A rebuilt presenter receives the result in its slot; the waiting call is cancelled")
    func renewed() async throws {
        try stage.current().note = "kept"
        let choice = try await present(on: stage)
        try stage.remove("Places")
        try stage.add("Places")
        await #expect(throws: CancellationError.self) { try await choice.value }

        try await coordinator.dismiss(returning: "word")
        _ = try await coordinator.loadedScreen()

        #expect(try stage.current().received == ["word"])
        #expect(try stage.current().note == "kept")
    }

    @Test("Presenting during a navigation is refused, since it would deadlock")
    func withinNavigation() async throws {
        var refusal: (any Error)?
        director.loads["spots/b"] = { viewModel in
            do { _ = try await viewModel.navigator.present(Picker(kind: "word")) } catch { refusal = error }
        }

        try await coordinator.open("spots/b")

        #expect((refusal as? NavigationError)?.code == "presentedWithinNavigation")
        #expect(stage.links == ["spots/a", "spots/b"])
    }

    @Test("A presented screen that opens another one while it loads still returns its result")
    func goesOnAsItLoads() async throws {
        director.loads["pickers/word"] = { viewModel in try await viewModel.navigator.open("spots/b") }
        let presenter = try stage.current()
        let choice = Task { try await presenter.navigator.present(Picker(kind: "word")) }
        try await until("both are entered") { stage.links.count == 3 }
        for _ in 0..<20 { await Task.yield() }

        try await coordinator.dismiss(returning: "word")

        #expect(coordinator.waiting.isEmpty)
        choice.cancel()
        #expect(try await choice.value == "word")
    }

    @Test("An entry that replaces the presented one returns the result")
    func replaced() async throws {
        let choice = try await present(on: stage)

        try await coordinator.replace(with: Spot(name: "second-step"))
        #expect(!coordinator.waiting.isEmpty)
        try await coordinator.dismiss(returning: "word")

        #expect(try await choice.value == "word")
        #expect(try stage.current().received == [])
    }

    @Test("Of two concurrent presentations the older is cancelled")
    func competing() async throws {
        let presenter = try stage.current()
        let gate = Gate()
        stage.director.loads["pickers/old"] = { _ in try await gate.pass() }
        let older = Task { try await presenter.navigator.present(Picker(kind: "old")) }
        try await until("the older loads") { gate.arrivals == 1 }
        let newer = Task { try await presenter.navigator.present(Picker(kind: "new")) }
        await #expect(throws: CancellationError.self) { try await older.value }
        try await until("the newer waits") { coordinator.waiting.count == 1 }
        #expect(stage.links == ["spots/a", "pickers/new"])

        try await coordinator.dismiss(returning: "yes")

        #expect(try await newer.value == "yes")
    }

    @Test("A confirmation returns the answer")
    func alerts() async throws {
        let navigator = try stage.current().navigator
        let answer = Task { try await navigator.confirm("Delete 'Lamp'?", doing: "Deletes it") }
        try await until("it is asked") { coordinator.waiting.count == 1 }

        try await coordinator.dismiss(returning: "yes")

        #expect(try await answer.value)
    }
}
