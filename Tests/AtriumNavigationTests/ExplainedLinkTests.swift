@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

private struct Entities: Destination { static let pattern: LinkPattern = "entities" }
private struct NewEntity: Destination { static let pattern: LinkPattern = "entities/new" }
private struct Entity: Destination {
    static let pattern: LinkPattern = "entities/:id"
    static let formerNames = ["entity"]
    let id: Int
}
private struct EntityFiles: Destination {
    static let pattern: LinkPattern = "entities/:id/files/:path*"
    let id: Int
    let path: String
}
private struct Anything: Destination {
    static let pattern: LinkPattern = "entities/:rest*"
    let rest: [String]
}
private struct Shelf: Destination {
    static let pattern: LinkPattern = ":person/desk"
    let person: String
}
private struct Other: Destination { static let pattern: LinkPattern = "others" }
private struct Malformed: Destination { static let pattern: LinkPattern = "a//b" }
private struct Former: Destination {
    static let pattern: LinkPattern = "former"
    static let formerNames = ["entity", "former"]
}

private struct PlainView: View { var body: Content { Title("Plain") } }

@Suite("Explaining links and finding screens by name")
@MainActor
struct ExplainedLinkTests {
    private let table = ScreenTable()

    private func screen<Place: Destination>(_ type: Place.Type, _ module: String = "Shop")
        -> ScreenRegistration
    {
        ScreenRegistration(type, module: module) { _, _ in PlainView() }
    }

    private func explanations(_ link: String) throws -> [String] {
        table.explain(try Link(link)).map { "\($0.pattern) of \($0.module): \($0.explanation)" }
    }

    private func fill() throws {
        try table.add([
            screen(Anything.self), screen(Shelf.self), screen(EntityFiles.self), screen(Entity.self),
            screen(NewEntity.self, "Forms"), screen(Entities.self), screen(Other.self),
        ])
    }

    @Test("Every pattern of the first segment is explained, in order of precedence")
    func order() throws {
        try fill()

        #expect(
            try explanations("entities/new") == [
                "entities/new of Forms: won because segment 2, 'new', is a literal, which comes before the argument "
                    + "':id' of 'entities/:id'",
                "entities/:id/files/:path* of Shop: the link has 1 fewer segment",
                "entities/:id of Shop: matches, but 'entities/new' takes precedence",
                "entities of Shop: the link has 1 more segment",
                "entities/:rest* of Shop: matches, but 'entities/new' takes precedence",
                ":person/desk of Shop: segment 2 is 'new', not 'desk'",
            ])
        #expect(table.explain(try Link("entities/new")).filter(\.isWinner).map(\.module) == ["Forms"])
    }

    @Test("The explanation of the winner names the pattern that it precedes, or says that no other matches")
    func reasons() throws {
        try fill()
        func reason(_ link: String) throws -> String? {
            table.explain(try Link(link)).first(where: \.isWinner)?.explanation
        }

        #expect(
            try reason("entities")
                == "won because the end after segment 1 is the end, which comes before the tail ':rest*' of "
                + "'entities/:rest*'")
        #expect(
            try reason("entities/7/files/a")
                == "won because segment 2, '7', is the argument ':id', which comes before the tail ':rest*' of "
                + "'entities/:rest*'")
        #expect(try reason("others") == "won because no other pattern matches")
        #expect(try reason("somebody/desk") == "won because no other pattern matches")
        #expect(try reason("nothing") == nil)
    }

    @Test("The explanation of the winner includes why it refuses a value")
    func wrongValue() throws {
        try fill()

        let winner = table.explain(try Link("entities/seven")).first(where: \.isWinner)

        #expect(
            winner?.explanation.hasSuffix(
                "; it refuses a value: In 'entities/seven', 'id' must be a whole number, not 'seven'.")
                == true
        )
    }

    @Test("Patterns of other first segments are left out")
    func others() throws {
        try fill()

        #expect(
            try explanations("others/1") == [
                "others of Shop: the link has 1 more segment",
                ":person/desk of Shop: segment 2 is '1', not 'desk'",
            ])
    }

    @Test("A screen is found by its module and its current or former name")
    func names() throws {
        try fill()

        #expect(table.screen(module: "Shop", named: "entities/:id")?.pattern == "entities/:id")
        #expect(table.screen(module: "Shop", named: "entity")?.pattern == "entities/:id")
        #expect(table.screen(module: "Forms", named: "entity") == nil)
        #expect(table.hasScreens(of: "Forms"))

        table.remove(module: "Shop")

        #expect(table.screen(module: "Shop", named: "entity") == nil)
        #expect(!table.hasScreens(of: "Shop"))
        #expect(table.all.map(\.pattern) == ["entities/new"])
    }

    @Test("Two screens of a module with one name are refused; a former name may equal the current one")
    func duplicateNames() throws {
        try table.add([screen(Entity.self)])

        let error = #expect(throws: NavigationError.self) { try table.add([screen(Former.self)]) }

        #expect(
            error?.message
                == "Module 'Shop' registers two screens named 'entity': 'entities/:id' and 'former'."
        )
        #expect(throws: Never.self) { try table.check([screen(Former.self)], replacingThoseOf: ["Shop"]) }
        #expect(throws: Never.self) { try table.add([screen(Former.self, "Attic")]) }
    }

    @Test("An invalid pattern is refused")
    func malformed() throws {
        let error = #expect(throws: NavigationError.self) {
            try table.add([screen(Other.self), screen(Malformed.self)])
        }

        #expect(error?.code == .badPattern)
        #expect(error?.message == "Module 'Shop' can't register the screen 'a//b': segment 2 is empty.")
        #expect(table.all.isEmpty)
    }

    @Test("Screens replace those of their module and are checked against those of other modules")
    func exchange() throws {
        try fill()

        #expect(throws: Never.self) { try table.check([screen(NewEntity.self)], replacingThoseOf: ["Forms"]) }
        #expect(throws: NavigationError.self) {
            try table.check([screen(NewEntity.self)], replacingThoseOf: ["Shop"])
        }

        table.exchange([screen(Former.self, "Forms")], replacingThoseOf: ["Forms"])

        #expect(table.screen(for: try Link("entities/new"))?.pattern == "entities/:id")
        #expect(table.screen(for: try Link("former"))?.module == "Forms")
    }
}
