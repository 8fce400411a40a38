@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

private struct EntityList: Destination { static let pattern: LinkPattern = "entities" }
private struct NewEntity: Destination { static let pattern: LinkPattern = "entities/new" }
private struct EntityDetail: Destination {
    static let pattern: LinkPattern = "entities/:id"
    let id: String
}
private struct NewDraft: Destination { static let pattern: LinkPattern = "entities/new/draft" }
private struct EntityPart: Destination {
    static let pattern: LinkPattern = "entities/:id/:part"
    let id: String
    let part: String
}
private struct ByName: Destination {
    static let pattern: LinkPattern = "entities/:name"
    let name: String
}
private struct Other: Destination { static let pattern: LinkPattern = "others" }

@Suite("Finding screens by link")
@MainActor
struct ScreenTableTests {
    private let table = ScreenTable()

    private func screens(_ module: String, _ types: [any Destination.Type]) -> [ScreenRegistration] {
        House.registry(module) { registry in
            for type in types { register(type, in: registry) }
        }.screens
    }

    private func register(_ type: (some Destination).Type, in registry: ModuleRegistry) {
        registry.screen(type) { _ in LobbyView() }
    }

    private func pattern(_ link: String) throws -> String? {
        table.screen(for: try Link(link))?.pattern.description
    }

    @Test("A literal precedes an argument; the argument is tried if the literal leads to no match")
    func precedence() throws {
        try table.add(
            screens(
                "Entities",
                [EntityPart.self, EntityDetail.self, NewDraft.self, NewEntity.self, EntityList.self]))

        #expect(try pattern("entities") == "entities")
        #expect(try pattern("entities/new") == "entities/new")
        #expect(try pattern("entities/42?page=1") == "entities/:id")
        #expect(try pattern("entities/new/draft") == "entities/new/draft")
        #expect(try pattern("entities/new/notes") == "entities/:id/:part")
        #expect(try pattern("entities/42/draft") == "entities/:id/:part")
    }

    @Test(
        "An unknown link finds no screen",
        arguments: ["others", "entities/1/2/3", "Entities", "ent%20ities"])
    func unknown(_ link: String) throws {
        try table.add(screens("Entities", [EntityList.self, EntityDetail.self, EntityPart.self]))

        #expect(try pattern(link) == nil)
    }

    @Test("Screens are listed by pattern and found by destination")
    func listing() throws {
        try table.add(screens("Entities", [NewEntity.self, EntityList.self]))
        try table.add(screens("Others", [Other.self]))

        #expect(table.all.map(\.pattern.description) == ["entities", "entities/new", "others"])
        #expect(table.screen(for: NewEntity())?.pattern == "entities/new")
        #expect(table.screen(for: EntityDetail(id: "1")) == nil)
    }

    @Test("An ambiguous pattern is refused with both modules' names, and nothing is added")
    func ambiguity() throws {
        try table.add(screens("Entities", [EntityDetail.self]))

        let error = #expect(throws: NavigationError.self) {
            try table.add(screens("People", [Other.self, ByName.self]))
        }

        #expect(error?.code == .ambiguousLink)
        #expect(error?.category == .module)
        #expect(
            error?.message
                == "Module 'People' registers the screen 'entities/:name', but links such as "
                + "'entities/1' already open 'entities/:id' of module 'Entities'.")
        #expect(error?.hint == "Give one of the two another path.")
        #expect(table.all.map(\.pattern.description) == ["entities/:id"])
        #expect(try pattern("others") == nil)
        #expect(try pattern("entities/1") == "entities/:id")
    }

    @Test("Two ambiguous patterns in one module are refused too")
    func ambiguityInside() throws {
        let error = #expect(throws: NavigationError.self) {
            try table.add(screens("People", [EntityDetail.self, ByName.self]))
        }

        #expect(
            error?.message
                == "Module 'People' registers the screen 'entities/:name', but links such as "
                + "'entities/1' already open 'entities/:id' of module 'People'.")
        #expect(table.all.isEmpty)
        #expect(try pattern("entities/1") == nil)
    }

    @Test("Removing a module removes its screens only, and frees their patterns")
    func removal() throws {
        try table.add(screens("Entities", [EntityDetail.self, EntityList.self]))
        try table.add(screens("Others", [Other.self, NewEntity.self]))

        table.remove(module: "Entities")

        #expect(table.all.map(\.pattern.description) == ["entities/new", "others"])
        #expect(try pattern("entities/1") == nil)
        #expect(try pattern("entities/new") == "entities/new")
        #expect(throws: Never.self) { try table.add(screens("People", [ByName.self])) }
        #expect(try pattern("entities/1") == "entities/:name")
    }
}
