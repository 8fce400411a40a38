@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumLineEditor
@testable import AtriumText

@Suite("Help, from anywhere")
@MainActor
struct HelpTests {
    private let shop: TestHost

    init() throws { shop = try TestHost() }

    private func help(_ line: String) async throws -> JSONObject? {
        try await shop.output(line).content?.json
    }

    private func completions(_ line: String) -> [String] {
        Completer(interpreter: shop.interpreter).completions(of: line, at: line.utf8.count).candidates.map(
            \.text)
    }

    @Test(
        "An action is explained behind its link, by its name alone, and by --help, with its link in front",
        arguments: [
            "help items create", "help create", "items create --help", "items create a --kind b --help",
        ])
    func actions(_ line: String) async throws {
        let help = try await help(line)

        #expect(help?["title"] == "items create NAME [--kind KIND]")
        #expect(help?["link"] == "items")
        #expect(shop.log.lines.isEmpty)
        #expect(shop.stack.isEmpty)
    }

    @Test("On its screen an action is explained as it is typed there")
    func here() async throws {
        _ = try await shop.output("open items")

        for line in ["help create", "create --help"] {
            #expect(try await help(line)?["title"] == "create NAME [--kind KIND]", "\(line)")
        }
    }

    @Test("A link with a value and its form both lead to its actions")
    func forms() async throws {
        for line in ["help items/7 delete", "help items/:id delete", "items/7 delete --help", "help delete"] {
            #expect(try await help(line)?["title"] == "items/ID delete [--yes]", "\(line)")
        }
    }

    @Test("A group and a subject list their commands, also by the beginning of the subject")
    func groups() async throws {
        func names(_ line: String) async throws -> [String] {
            (try await help(line)?["rows"]?.elements ?? []).compactMap { $0["name"]?.stringValue }
        }
        let group = try await names("help nav")
        #expect(group.first == "nav replace" && group.allSatisfy { $0.hasPrefix("nav ") })
        #expect(try await names("nav --help") == group)
        #expect(try await names("help navigate").contains("open"))
        #expect(try await names("help navi") == names("help navigate"))
        let container = try await help("help container")
        #expect(container?["title"] == "container [NAME]")
        #expect(container?["arguments"]?.elements?.count == 1)
        #expect(container?["rows"]?.elements?.count == 1)
    }

    @Test("--help behind any command explains it and does nothing")
    func option() async throws {
        #expect(try await help("--help")?["rows"] != nil)
        #expect(try await help("exit --help")?["title"] == "exit [STATUS] [--restart] [--yes]")
        #expect(try await shop.run("exit --help").endsSession == false)
        #expect(try await help("container graph --help")?["name"] == "container graph")
        #expect(try await help("items --help")?["title"] == "items")
        // Behind '--' it is a value.
        #expect(try await shop.output("items create -- --help").message == "Created '--help'.")
        #expect(try await shop.run("items sign-in a --password x --help").command.contains("x") == false)
    }

    @Test("What has no help is an error that names it, with the nearest")
    func unknown() async throws {
        #expect(try await shop.failure("help creat")?.hint == "Did you mean 'create'?")
        #expect(
            try await shop.failure("help items creat")?.message == "The screen 'items' has no action 'creat'."
        )
        #expect(try await shop.failure("items creat --help")?.hint == "Did you mean 'create'?")
    }

    @Test("The hint of an error leads to help from anywhere")
    func hints() async throws {
        let hint = try await shop.failure("items create a b c")?.hint

        #expect(hint == "help items create")
        #expect(try await help(hint ?? "")?["name"] == "create")
    }

    @Test("'doc' is 'help'; types and their members are looked for in code, other words are not")
    func declarations() async throws {
        #expect(try await help("doc items create") == help("help items create"))
        #expect(
            ["Shelf", "Shelf.add", "Shelf.add(_:at:)", "Books.Shelf.name_1"].allSatisfy(Help.mayBeDeclared))
        #expect(!["shelf", "shelf.add", "Shelf.", "Shelf/1", "", "A b"].contains(where: Help.mayBeDeclared))
        #expect(try await shop.failure("doc creat")?.hint == "Did you mean 'create'?")
    }

    @Test("Tab completes what help is asked about, and --help")
    func completion() {
        #expect(completions("doc cre") == ["create"])
        #expect(completions("help cre") == ["create"])
        #expect(completions("help nav") == ["nav", "navigate"])
        #expect(completions("help nav al") == ["alive"])
        #expect(completions("help items ") == ["list", "create", "sign-in", "fail", "crash"])
        #expect(completions("help items cre") == ["create"])
        #expect(completions("items create --h") == ["--help"])
        #expect(completions("open --he") == ["--help"])
    }
}
