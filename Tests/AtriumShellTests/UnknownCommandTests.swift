@_spi(Host) import AtriumKit
import Testing

@testable import AtriumShell

@Suite("Words that mean nothing")
@MainActor
struct UnknownCommandTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    @Test(
        "An unknown word is told with the nearest command, link or action",
        arguments: [
            ("opn items", "opn", "Did you mean 'open'?"),
            ("itms", "itms", "Did you mean 'items'?"),
            ("frobnicate", "frobnicate", "'help' lists the commands, 'links' the screens."),
            ("''", "", "'help' lists the commands, 'links' the screens."),
            ("zz/1/2", "zz/1/2", "'help' lists the commands, 'links' the screens."),
        ])
    func unknownCommand(_ line: String, _ name: String, _ hint: String) async throws {
        let error = try await shop.failure(line)

        #expect(error?.code == .unknownCommand)
        #expect(error?.message == "There is no command, action or link '\(name)'.")
        #expect(error?.hint == hint)
        #expect(shop.stack.isEmpty)
    }

    @Test("Actions of the current place are proposed too")
    func currentActions() async throws {
        _ = try await shop.output("open items")

        let error = try await shop.failure("craete lamp")

        #expect(error?.hint == "Did you mean 'create'?")
        #expect(shop.log.lines == ["load"])
    }

    @Test(
        "A question is answered by the beginning of an answer, in any case", arguments: ["y", "Y", "YE", "n"])
    func beginningOfAnswer(_ word: String) async throws {
        shop.interpreter.canAsk = true
        _ = try await shop.output("open items/1")
        _ = try await shop.output("delete")
        #expect(shop.stack == ["items/1", "alert"])

        let output = try await shop.output(word)

        #expect(output.message == (word == "n" ? "Nothing was done." : "Deleted."))
    }

    @Test(
        "A word that is no answer is told with the answers; the question stays", arguments: ["maybe", "''"])
    func noAnswer(_ word: String) async throws {
        shop.interpreter.canAsk = true
        _ = try await shop.output("open items/1")
        _ = try await shop.output("delete")

        let error = try await shop.failure(word)

        #expect(error?.message == "'\(word == "''" ? "" : word)' is no answer to the question that is open.")
        #expect(error?.hint == "Answer yes or no, or leave it unanswered: back")
        #expect(shop.stack == ["items/1", "alert"])
        #expect(try await shop.failure("y now")?.code == .unknownCommand)
    }

    @Test("Elsewhere the beginning of an action is no action")
    func beginningElsewhere() async throws {
        _ = try await shop.output("open items")

        #expect(try await shop.failure("creat")?.hint == "Did you mean 'create'?")
    }

    @Test("The form of a link is explained: what stands for what, and how to go on")
    func form() async throws {
        let output = try await shop.output("help items/:id")

        let json = try #require(output.content).json
        #expect(json["title"] == "items/:id")
        #expect(json["module"] == "Shop")
        #expect(json["values"] == .array([["part": ":id", "meaning": "the id"]]))
        #expect(JSONValue.object(json).serialized.contains(#""hint":"help items/ID""#))
    }

    @Test("An unknown action of a link is told with the nearest, else with all")
    func unknownAction() async throws {
        let near = try await shop.failure("items crate lamp")
        let far = try await shop.failure("items frobnicate")
        let none = try await shop.failure("fair frobnicate")

        #expect(near?.code == "unknownAction")
        #expect(near?.message == "The screen 'items' has no action 'crate'.")
        #expect(near?.hint == "Did you mean 'create'?")
        #expect(far?.hint == "It has list, create, sign-in, fail, crash.")
        #expect(none?.hint == "It has none.")
        #expect(shop.log.lines.isEmpty)
    }

    @Test("A link whose value does not fit is told as one")
    func badLink() async throws {
        let error = try await shop.failure("items/x")

        #expect(error?.message == "In 'items/x', 'id' must be a whole number, not 'x'.")
    }

    @Test("A link of a module that is not active is told with the reason")
    func inactive() async throws {
        let shown = try await shop.failure("idle/1")
        let opened = try await shop.failure("open idle")

        #expect(
            shown?.message == "Module 'Idle' is not active: it requires Shop ^2.0.0, but Shop is 1.2.3.")
        #expect(opened?.message == shown?.message)
        #expect(opened.map(ExitStatus.init) == .module)
    }
}
