@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumLineEditor
@testable import AtriumText

@Suite("Completion")
@MainActor
struct CompleterTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    private func completions(_ line: String) -> CompletionList {
        Completer(interpreter: shop.interpreter).completions(of: line, at: line.utf8.count)
    }

    private func texts(_ line: String) -> [String] {
        completions(line).candidates.map(\.text)
    }

    @Test("The first word is completed with commands and links that begin with it")
    func firstWords() {
        #expect(texts("mod") == ["modules", "module"])
        #expect(texts("it") == ["items", "items/"])
        #expect(
            texts("") == [
                "open", "back", "forward", "root", "where", "links", "actions", "nav", "modules", "module",
                "why", "events", "backup", "snapshot", "seed", "stories", "mock", "api",
                "container", "verify",
                "trace", "health", "log", "swift", "inspect", "tap", "call", "fault", "scenes",
                "hosts", "top", "help", "let", "repeat", "time", "alias", "source", "assert", "live", "watch",
                "jobs", "wait", "cancel", "history", "exit",
                "fair",
                "items",
                "items/",
            ])
        #expect(texts("frob") == [])
    }

    @Test("A candidate has a summary; one that needs more text is not final")
    func candidates() {
        #expect(
            completions("items").candidates == [
                CompletionCandidate(text: "items", summary: "All items"),
                CompletionCandidate(text: "items/", summary: "One item", isFinal: false),
            ])
    }

    @Test("The start of the completed word is a byte offset in the line; earlier commands are ignored")
    func start() {
        #expect(completions("mod").start == 0)
        #expect(completions("links; mod").start == 7)
        #expect(completions("create é --ki").start == 10)
        #expect(texts("links; mod") == ["modules", "module"])
    }

    @Test("Text after the cursor is ignored")
    func cursor() {
        let list = Completer(interpreter: shop.interpreter).completions(of: "modxyz items", at: 3)

        #expect(list.candidates.map(\.text) == ["modules", "module"])
    }

    @Test("Actions of the current screen come first, and once")
    func currentActions() async throws {
        _ = try await shop.output("open items")

        #expect(texts("").prefix(5) == ["list", "create", "sign-in", "fail", "crash"])
        #expect(texts("l") == ["list", "links", "log", "let", "live"])
    }

    @Test("After a link, the actions of its screen are offered, without loading or opening it")
    func linkActions() {
        #expect(texts("items ") == ["list", "create", "sign-in", "fail", "crash"])
        #expect(texts("items/7 d") == ["delete"])
        #expect(texts("frobnicate ") == [])
        #expect(shop.log.lines.isEmpty)
        #expect(shop.stack.isEmpty)
    }

    @Test("After an action, unused argument names and values of the next argument are offered")
    func arguments() {
        #expect(texts("items list --") == ["--page", "--sort"])
        #expect(texts("items list --page 2 --") == ["--sort"])
        #expect(texts("items list --page=2 --s") == ["--sort"])
        #expect(texts("items list 2 ") == ["name", "age", "--sort"])
        #expect(completions("items list --p").candidates.map(\.summary) == ["The page"])
        #expect(completions("items list --s").candidates.map(\.summary) == ["a choice"])
    }

    @Test("After an argument's name, its choices or suggestions are offered, quoted if needed")
    func values() {
        #expect(texts("items list --sort ") == ["name", "age"])
        #expect(texts("items list --sort a") == ["age"])
        #expect(texts("items create lamp --kind ") == ["'a b'", "c/"])
        #expect(texts("items create lamp --kind 'a") == ["'a b'"])
        #expect(completions("items create lamp --kind c").candidates.map(\.isFinal) == [false])
        #expect(texts("open it") == ["items", "items/"])
        #expect(texts("module ").suffix(7).prefix(3) == ["Shop", "Idle", "--name"])
    }

    @Test("The confirmation of a destructive action is never completed")
    func consent() {
        #expect(texts("items/7 delete ") == [])
        #expect(texts("items/7 delete --") == [])
    }

    @Test("Secrets and comments have no candidates")
    func nothing() {
        #expect(texts("items sign-in ada --password ") == [])
        #expect(texts("# mod") == [])
    }
}
