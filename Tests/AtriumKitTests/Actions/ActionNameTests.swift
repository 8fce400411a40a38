import AtriumTesting
import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Names of actions")
@MainActor
struct ActionNameTests {
    private struct Shelf: Destination {
        static let pattern: LinkPattern = "shelf"
    }

    private struct ShelfView: View {
        let actions: [Action]
        var body: Content { Title("Shelf") }
    }

    private func findings(_ actions: [Action]) throws -> [String] {
        let container = Container(environment: .local)
        let registry = ModuleRegistry.of("Books") { registry in
            registry.screen(Shelf.self) { _ in ShelfView(actions: actions) }
        }
        try container.add(registry)
        return try container.verify(screens: registry.screens) { $0.infrastructure }
            .findings.map { "\($0.module ?? "-"): \($0.error.message)" }
    }

    private func action(_ name: String) -> Action { Action(name, "Does something") { .content(Content([])) } }

    @Test(
        "Names that can be typed are right",
        arguments: ["sort", "sign-in", "add2", "größe", "with_line", String(repeating: "a", count: 40)])
    func right(name: String) throws {
        #expect(try findings([action(name), action("other")]).isEmpty)
    }

    @Test(
        "A name that nobody could use is a finding that names the screen and its module",
        arguments: [
            ("", "has an action without a name"),
            ("help", "has the action 'help', which is a command of the host"),
            ("nav", "has the action 'nav', which is a command of the host"),
            ("7", "has the action '7', whose name can't be typed as a command"),
            ("-a", "has the action '-a', whose name can't be typed as a command"),
            ("two words", "has the action 'two words', whose name can't be typed as a command"),
            ("a/b", "has the action 'a/b', whose name can't be typed as a command"),
            ("a;b", "has the action 'a;b', whose name can't be typed as a command"),
            (
                String(repeating: "a", count: 41),
                "has the action '\(String(repeating: "a", count: 40))…', whose name has more than 40 characters"
            ),
        ])
    func wrong(name: String, problem: String) throws {
        #expect(try findings([action(name)]) == ["Books: The screen 'shelf' of module 'Books' \(problem)."])
    }

    @Test("Two actions of a name are a finding")
    func twice() throws {
        #expect(
            try findings([action("add"), action("sort"), action("add")])
                == ["Books: The screen 'shelf' of module 'Books' has two actions 'add'."])
    }

    @Test(
        "So are arguments of a name, and one that can't be typed",
        arguments: [
            ("name", "has an action 'add' with two arguments 'name'"),
            ("yes", "has an action 'add' with two arguments 'yes'"),
            ("", "has an action 'add' with the argument '', whose name can't be typed"),
        ])
    func arguments(name: String, problem: String) throws {
        let add = Action(
            "add", "Adds a book", effect: .destroys, Argument<String>("name"), Argument<String?>(name)
        ) { _, _ in .content(Content([])) }

        #expect(try findings([add]) == ["Books: The screen 'shelf' of module 'Books' \(problem)."])
    }
}
