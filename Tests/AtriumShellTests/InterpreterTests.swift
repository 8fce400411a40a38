@_spi(Host) import AtriumKit
import AtriumNavigation
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumText

@Suite("Interpreter")
@MainActor
struct InterpreterTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    @Test("A link alone loads and shows its screen, and does not change the stack")
    func link() async throws {
        #expect(try await shop.json("items/42") == #"{"id":42}"#)
        #expect(try await shop.json("items") == #"{"title":"Items","rows":[{"line":"load"}]}"#)
        #expect(shop.stack.isEmpty)
    }

    @Test("LINK ACTION performs the action of that screen, and does not change the stack")
    func linkAction() async throws {
        _ = try await shop.output("open fair")

        let output = try await shop.output("items create lamp --kind desk")

        #expect(output.message == "Created 'lamp'.")
        #expect(output.content?.json == ["id": 7])
        #expect(shop.log.lines == ["load", "create lamp desk"])
        #expect(shop.stack == ["fair"])
    }

    @Test("An action of the current screen is performed there; a screen that it shows is not pushed")
    func currentAction() async throws {
        _ = try await shop.output("open items")

        let output = try await shop.output("create lamp")

        #expect(output.message == "Created 'lamp'.")
        #expect(output.content?.json == ["id": 7])
        #expect(shop.log.lines == ["load", "create lamp -"])
        #expect(shop.stack == ["items"])
        #expect(shop.coordinator.needsArchiving)
    }

    @Test("An action that leaves its screen goes back to the entry below, and shows it again")
    func leaving() async throws {
        _ = try await shop.output("open items")
        _ = try await shop.output("open items/7")

        let output = try await shop.output("delete --yes")

        #expect(output.message == "Deleted.")
        #expect(output.content?.json["title"] == "Items")
        #expect(shop.stack == ["items"])
        #expect(shop.log.lines == ["load", "load"])
    }

    @Test("An action that leaves its screen after LINK ACTION shows the screen that it names")
    func leavingElsewhere() async throws {
        _ = try await shop.output("open fair")

        let output = try await shop.output("items/7 delete --yes")

        #expect(output.message == "Deleted.")
        #expect(output.content?.json["title"] == "Items")
        #expect(shop.stack == ["fair"])
    }

    @Test("An action can show its own content")
    func content() async throws {
        let output = try await shop.output("items/7 text")

        #expect(output.message == "Here:")
        #expect(output.content?.json == ["text": ["A text."]])
    }

    @Test("Arguments are checked before anything is loaded")
    func badArguments() async throws {
        let error = try await shop.failure("items list --pagee 2")
        let missing = try await shop.failure("items create --kind")

        #expect(error?.message == "'list' has no argument '--pagee'.")
        #expect(missing?.code == .missingArgument)
        #expect(shop.log.lines.isEmpty)
        #expect(shop.stack.isEmpty)
    }

    @Test("A missing secret is prompted for if possible, and is otherwise an error")
    func secrets() async throws {
        let refused = try await shop.failure("items sign-in ada")
        shop.interpreter.askSecret = { name in "\(name) of ada" }
        let reply = try await shop.run("items sign-in ada")

        #expect(refused?.message == "'sign-in' needs a value for 'password'.")
        #expect(reply.command == "items sign-in ada")
        #expect(shop.log.lines.last == "sign-in ada password of ada")
    }

    @Test("A new secret is asked for twice; two different ones do nothing")
    func newSecret() async throws {
        var answers = ["one", "one", "one", "other"]
        var asked: [String] = []
        shop.interpreter.askSecret = { name in
            asked.append(name)
            return answers.removeFirst()
        }

        let output = try await shop.output("fair set-password")
        let failure = try await shop.failure("fair set-password")

        #expect(asked == ["password", "password, again", "password", "password, again"])
        #expect(failure?.message == "You typed two different values for 'password'; nothing was done.")
        #expect(output.message == "It is 'one'.")
    }

    @Test("A reply shows the command with hidden secrets; the history stores it without them")
    func redaction() async throws {
        let reply = try await shop.run("items sign-in ada --password=hunter2")

        #expect(reply.command == "items sign-in ada --password …")
        #expect(try historyText(of: "items sign-in ada hunter2") == "items sign-in ada")
    }

    @Test("A line with a mistyped link and an action with a secret shows only the link, and is not stored")
    func mistypedRedaction() async throws {
        let reply = try await shop.run("itms sign-in ada hunter2")

        #expect(reply.command == "itms …")
        #expect(try historyText(of: "itms sign-in ada hunter2") == nil)
        #expect(try historyText(of: "itms create lamp") == "itms create lamp")
    }

    @Test(
        "An unreadable line that may hold a secret shows only its first word",
        arguments: [
            ("items sign-in ada 'hunter2", "items …"), ("open --PASSWORD 'hunter2", "open …"),
            ("items create 'lamp", "items create 'lamp"),
        ])
    func unreadable(_ line: String, _ text: String) {
        #expect(shop.interpreter.text(ofUnreadable: line) == text)
        #expect(shop.interpreter.mayHoldSecret(line) == (text != line))
    }

    private func historyText(of line: String) throws -> String? {
        let command = Command(words: try Lexer.commands(in: line).flatMap(\.words))
        return shop.interpreter.declaredText(of: command, marksSecrets: false)
    }

    @Test("The error of an action is reported with its message, or with its type if it has none")
    func failures() async throws {
        let explained = try await shop.failure("items fail")
        let plain = try await shop.failure("items crash")

        #expect(explained?.message == "There is none left.")
        #expect(plain?.message == "An unexpected error of type 'PlainFailure' occurred.")
    }

    @Test("A change that was made is told, also when the screen that follows can't be shown")
    func changeWithoutScreen() async throws {
        shop.log.hidesItems = OutOfStock()

        let output = try await shop.output("items create lamp")
        let read = try await shop.failure("items/7")

        #expect(output.message == "Created 'lamp'.")
        let shown = try #require(output.content.map { JSONValue.object($0.json).serialized })
        #expect(shown.contains("can't be shown: There is none left."))
        #expect(read?.code == "outOfStock")
    }

    @Test("A change that was made is told, even if its screen was cancelled while it loaded")
    func changeWithCancelledScreen() async throws {
        shop.log.hidesItems = CancellationError()

        let output = try await shop.output("items create lamp")

        #expect(output.message == "Created 'lamp'.")
        #expect(output.changes == ["items create lamp"])
    }

    @Test("'exit' ends the session; another command does not")
    func exit() async throws {
        #expect(try await shop.run("exit").endsSession)
        #expect(try await shop.run("items").endsSession == false)
    }

    @Test("'exit --restart' asks for what would be lost, and ends the session only if the host restarts")
    func restart() async throws {
        let refused = try await shop.run("exit --restart")
        #expect(refused.hasFailed && !refused.endsSession)

        var restarted: [String] = []
        shop.host.restart = { restarted.append($0.name) }
        shop.host.lossesByRestart = ["The sandbox ends."]
        let unconfirmed = try await shop.run("exit --restart")
        #expect(unconfirmed.hasFailed && !unconfirmed.endsSession && restarted.isEmpty)

        #expect(try await shop.run("exit --restart --yes").endsSession)
        #expect(restarted.count == 1)
        #expect(try await shop.run("exit").endsSession)
    }
}
