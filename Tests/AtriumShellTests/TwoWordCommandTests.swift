@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumLineEditor
@testable import AtriumText

@Suite("Commands of two words")
@MainActor
struct TwoWordCommandTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
        try shop.add("Kitchen", Kitchen.register)
    }

    private func completions(_ line: String) -> [String] {
        // An interpreter suggests the names that were registered when it was created.
        let completer = Completer(interpreter: Interpreter(scene: shop.scene))
        return completer.completions(of: line, at: line.utf8.count).candidates.map(\.text)
    }

    @Test("A command of two words wins over one word with an argument, unless the argument is named")
    func longest() async throws {
        #expect(try await shop.output("container graph").content?.json["graph"] != nil)
        let error = try await shop.failure("container --name graph")

        #expect(error?.message == "Nothing called 'graph' is registered.")
    }

    @Test("A second word that is not part of a command is the argument of the first")
    func argument() async throws {
        #expect(try await shop.output("container Stove").content?.json["name"] == "Stove")
        #expect(
            try await shop.failure("container tracing")?.message == "Nothing called 'tracing' is registered.")
        #expect(
            try await shop.failure("links trace")?.message == "'links' takes fewer values than were typed.")
    }

    @Test("A reply and the history have all words of the command")
    func texts() async throws {
        let command = try Lexer.commands(in: "container  graph   'Stove' --dot")[0]

        #expect(
            try await shop.run("container  graph   'Stove' --dot").command == "container graph Stove --dot")
        #expect(
            shop.interpreter.declaredText(of: command, marksSecrets: false) == "container graph Stove --dot")
    }

    @Test("Every command has a unique name of one or two words")
    func names() {
        let names = HostCommands(scene: shop.scene).actions.map(\.name)

        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { (1...2).contains($0.split(separator: " ").count) })
    }

    @Test("Commands that begin with the same word have the same subject, by which they are found")
    func subjects() {
        let commands = Dictionary(grouping: HostCommands(scene: shop.scene).all) {
            $0.action.name.prefix { $0 != " " }
        }

        #expect(commands.count > 20)
        for (word, commands) in commands { #expect(Set(commands.map(\.subject)).count == 1, "\(word)") }
    }

    @Test("Errors about arguments name both words")
    func errors() async throws {
        let choice = try await shop.failure("module update --watch sideways")
        let surplus = try await shop.failure("nav alive now")

        #expect(choice?.message == "'watch' of 'module update' must be one of on, off, not 'sideways'.")
        #expect(surplus?.message == "'nav alive' takes fewer values than were typed.")
        #expect(surplus?.hint == "help nav alive")
    }

    @Test("The error about a mistyped first word suggests the nearest command")
    func mistyped() async throws {
        #expect(try await shop.failure("contaner graph")?.hint == "Did you mean 'container'?")
    }

    @Test("The first word is completed once; the second is completed with commands and values of the first")
    func completion() {
        #expect(completions("conta") == ["container"])
        #expect(completions("container ").first == "graph")
        #expect(completions("container ").contains("RecipeRepository"))
        #expect(completions("container gr") == ["graph"])
        #expect(completions("container St") == ["Stove"])
        #expect(completions("modules ") == ["--tree", "--cost", "--dot", "--svg"])
        #expect(completions("na") == ["nav"])
        #expect(completions("nav ") == ["replace", "alive"])
    }

    @Test("After two words the arguments of that command are completed")
    func argumentCompletion() {
        #expect(completions("container graph --") == ["--name", "--dot", "--svg"])
        #expect(completions("container graph St") == ["Stove"])
        #expect(completions("container graph --dot ") == ["yes", "no"])
        #expect(completions("module update --watch ") == ["on", "off"])
        #expect(completions("nav alive ") == [])
    }

    @Test("'help' explains commands of two words, and suggests the nearest for an unknown one")
    func help() async throws {
        let help = try await shop.output("help container graph").content?.json
        let error = try await shop.failure("help container grph")

        #expect(help?["title"] == "container graph [NAME] [--dot] [--svg]")
        #expect(help?["effect"] == "reads")
        #expect(try await shop.output("help container").content?.json["title"] == "container [NAME]")
        #expect(error?.message == "There is no help about 'container grph'.")
        let others = try await shop.failure("help where hunter2")
        #expect(others?.message == "There is no help about these 2 words together.")
        #expect(others?.hint == "'help' explains one name, LINK ACTION or TYPE.NAME.")
        #expect(error?.hint == "Did you mean 'container graph'?")
    }

    @Test("'help' lists commands of two words")
    func overview() async throws {
        let rows = try await shop.output("help").content?.json["rows"]?.elements
        let names = rows?.compactMap { row -> String? in
            if case .object(let object) = row { object["name"]?.stringValue } else { nil }
        }

        #expect(names?.filter { $0.hasPrefix("container") } == ["container", "container graph"])
    }
}
