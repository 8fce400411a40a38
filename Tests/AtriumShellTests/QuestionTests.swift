@_spi(Host) import AtriumKit
import AtriumNavigation
import Testing

@testable import AtriumCommands
@testable import AtriumText

private struct Shed: Destination {
    static let pattern: LinkPattern = "shed"
}

private struct ShedView: View {
    let loadsFirst: Bool

    var body: Content { Title("Shed") }

    var actions: [Action] {
        Action("clear", "Clears it", effect: .destroys, loadsFirst: loadsFirst) { .updated("Cleared.") }
    }
}

@Suite("Questions")
@MainActor
struct QuestionTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
        shop.interpreter.canAsk = true
    }

    @Test("A question that is open lets no other be asked; it is still answered")
    func nested() async throws {
        let asked = try await shop.output("items/7 delete")
        #expect(asked.content?.json["title"] == "Deletes it. Continue?")
        #expect(shop.stack == ["alert"])

        let error = try await shop.failure("items/8 delete")

        #expect(error?.code == "questionOpen")
        #expect(error?.message == "Another question is open: Deletes it. Continue?")
        #expect(shop.stack == ["alert"])
        #expect(try await shop.output("yes").message == "Deleted.")
        #expect(shop.stack.isEmpty)
    }

    @Test("Under other screens too, and 'back' leaves it")
    func covered() async throws {
        _ = try await shop.output("items/7 delete")
        _ = try await shop.output("open items")

        #expect(
            try await shop.failure("items/8 delete")?.hint == "Answer it, or leave it unanswered: back")
        _ = try await shop.output("back")
        #expect(try await shop.output("back").message == "Nothing was done.")
        #expect(try await shop.output("items/8 delete").content?.json["title"] == "Deletes it. Continue?")
    }

    @Test("'back', which Ctrl-C stands for, leaves a question; nothing is done")
    func left() async throws {
        _ = try await shop.output("open items/7")
        _ = try await shop.output("delete")

        #expect(try await shop.output("back").message == "Nothing was done.")
        #expect(shop.stack == ["items/7"])
    }

    @Test("A declined action shows its screen again, unless it was not loaded", arguments: [true, false])
    func declined(_ loadsFirst: Bool) async throws {
        try shop.add("Shed") { registry in
            registry.screen(Shed.self) { _ in ShedView(loadsFirst: loadsFirst) }
        }
        for answer in ["no", "back"] {
            _ = try await shop.output("shed clear")

            let output = try await shop.output(answer)

            #expect(output.message == "Nothing was done.")
            // 'back' loads and shows the screen that it returns to.
            #expect((output.content == nil) == (!loadsFirst && answer == "no"))
            #expect(output.changes.isEmpty)
        }
        _ = try await shop.output("shed clear")
        #expect(try await shop.output("yes").changes == ["shed clear"])
    }

    @Test(
        "A question is not a result: a program sees that the action is not done, a variable gets its result"
    )
    func noResult() async throws {
        let asked = try await shop.run("let x = items/7 delete")
        #expect(asked.deferred?.code == "deferred")
        #expect(try await shop.failure("assert $x.message == Deleted.") != nil)

        _ = try await shop.output("yes")

        _ = try await shop.output("assert $x.message == Deleted.")
    }

    @Test("A confirmed action runs again, with what its user saw; another doubt is another question")
    func doubts() async throws {
        let log = try shop.addPress()
        var asked: [String] = []
        shop.interpreter.confirm = { question, _ in
            asked.append(question)
            return true
        }

        #expect(try await shop.output("press print").message == "Printed.")

        #expect(
            asked == ["There is no ink. Continue?", "There is no ink. There is no paper. Continue?"])
        #expect(log.runs == 3)
    }

    @Test("With the host's option '--yes' an action that may have doubts runs once")
    func answeredByHost() async throws {
        let log = try shop.addPress()
        shop.interpreter.answersYes = true

        #expect(try await shop.output("press print").message == "Printed.")
        #expect(log.runs == 1)
    }

    @Test("An action whose result goes to a file or a program is refused before it asks")
    func redirected() async throws {
        shop.scene.isRedirected = { true }

        #expect(try await shop.failure("items/7 delete")?.code == "confirmationNeeded")

        #expect(shop.stack.isEmpty)
    }

    @Test("After a restart a question whose asker is gone is left, told once, and nothing else leaves")
    func restarted() async throws {
        _ = try await shop.output("open items")
        _ = try await shop.output("items/7 delete")
        _ = try await shop.output("open fair")
        let kept = shop.coordinator.archive()
        let next = try TestHost(state: kept)
        var announced: [String] = []
        next.scene.announce = { announced.append($0) }

        next.coordinator.leaveQuestions()
        next.scene.announceNews()
        next.scene.announceNews()

        #expect(next.stack == ["items", "fair"])
        #expect(
            announced
                == ["The question 'Deletes it. Continue?' was left without an answer; nothing was done."])
    }
}
