@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("Unknown commands")
@MainActor
struct UnknownCommandTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    @Test(
        "An unknown word is an error that suggests the nearest command or link",
        arguments: [
            ("opn items", "opn", "Did you mean 'open'?"),
            ("itms", "itms", "Did you mean 'items'?"),
            ("frobnicate", "frobnicate", "'help' lists the commands, 'links' the screens."),
            ("nav alve", "nav", "Did you mean 'nav alive'?"),
            ("nav journal", "nav", "'help' lists the commands, 'links' the screens."),
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

    @Test("Actions of the current screen are suggested too")
    func currentActions() async throws {
        _ = try await shop.output("open items")

        let error = try await shop.failure("craete lamp")

        #expect(error?.hint == "Did you mean 'create'?")
        #expect(shop.log.lines == ["load"])
    }

    @Test(
        "The beginning of an answer answers a question, in any case", arguments: ["y", "Y", "YE", "n"])
    func beginningOfAnswer(_ word: String) async throws {
        shop.interpreter.canAsk = true
        _ = try await shop.output("open items/1")
        _ = try await shop.output("delete")
        #expect(shop.stack == ["items/1", "alert"])

        let output = try await shop.output(word)

        #expect(output.message == (word == "n" ? "Nothing was done." : "Deleted."))
    }

    @Test(
        "A word that is not an answer is an error that lists the answers; the question stays",
        arguments: ["maybe", "''"])
    func noAnswer(_ word: String) async throws {
        shop.interpreter.canAsk = true
        _ = try await shop.output("open items/1")
        _ = try await shop.output("delete")

        let error = try await shop.failure(word)

        #expect(error?.message == "'\(word == "''" ? "" : word)' does not answer the open question.")
        #expect(error?.hint == "Answer yes or no, or leave it unanswered: back")
        #expect(shop.stack == ["items/1", "alert"])
        #expect(try await shop.failure("y now")?.code == .unknownCommand)
    }

    @Test("Without a question the beginning of an action is an unknown command")
    func beginningElsewhere() async throws {
        _ = try await shop.output("open items")

        #expect(try await shop.failure("creat")?.hint == "Did you mean 'create'?")
    }

    @Test("'help' explains the parameters of a link pattern, with a hint")
    func form() async throws {
        let output = try await shop.output("help items/:id")

        let json = try #require(output.content).json
        #expect(json["title"] == "items/:id")
        #expect(json["module"] == "Shop")
        #expect(json["rows"] == .array([["part": ":id", "meaning": "the id"]]))
        #expect(JSONValue.object(json).serialized.contains(#""hint":"help items/ID""#))
    }

    @Test("An unknown action of a link is an error that suggests the nearest, or lists all")
    func unknownAction() async throws {
        let near = try await shop.failure("items crate lamp")
        let far = try await shop.failure("items frobnicate")
        let none = try await shop.failure("fair frobnicate")

        #expect(near?.code == "unknownAction")
        #expect(near?.message == "The screen 'items' has no action 'crate'.")
        #expect(near?.hint == "Did you mean 'create'?")
        #expect(far?.hint == "It has list, create, sign-in, fail, crash.")
        #expect(none?.hint == "It has set-password.")
        #expect(shop.log.lines.isEmpty)
    }

    @Test("A screen without actions has none to suggest")
    func noActions() async throws {
        try shop.add("Kitchen", Kitchen.register)

        let error = try await shop.failure("menu frobnicate")

        #expect(error?.hint == "It has none.")
    }

    @Test("A link with a value of the wrong type is an error about the link")
    func badLink() async throws {
        let error = try await shop.failure("items/x")

        #expect(error?.message == "In 'items/x', 'id' must be a whole number, not 'x'.")
    }

    @Test("The error about a link of an inactive module has the reason")
    func inactive() async throws {
        let shown = try await shop.failure("idle/1")
        let opened = try await shop.failure("open idle")

        #expect(
            shown?.message == "Module 'Idle' is not active: it requires Shop ^2.0.0, but Shop is 1.2.3.")
        #expect(opened?.message == shown?.message)
        #expect(opened.map(ExitStatus.init) == .module)
    }
}
