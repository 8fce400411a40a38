@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("Command 'container'")
@MainActor
struct ContainerCommandTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
        try shop.add("Kitchen", Kitchen.register)
    }

    @Test(
        "'container' lists the registrations, their builds, and whether shared values are built")
    func overview() async throws {
        _ = try await shop.output("open menu")

        let json = try #require(try await shop.output("container").content?.json)

        #expect(json["registrations"] == 8)
        #expect(json["built"] == 3)
        #expect(json["environment"] == "mock")
        #expect(json["trace"] == "off")
        #expect(json["outlived"] == nil)
        let rows = try #require(json["rows"]?.elements)
        #expect(
            rows.prefix(2) == [
                [
                    "name": "menu", "layer": "screen", "module": "Kitchen", "lifetime": "transient",
                    "isBuilt": .null, "builds": 1,
                ],
                [
                    "name": "MenuViewModel", "layer": "viewModel", "module": "Kitchen",
                    "lifetime": "transient", "isBuilt": .null, "builds": 1,
                ],
            ])
        #expect(
            rows.dropFirst(4).first == [
                "name": "Stove", "layer": "service", "module": "Kitchen", "lifetime": "shared",
                "isBuilt": true, "builds": 1,
            ])
    }

    @Test("A registration is shown with its dependencies and dependents, without building it")
    func detail() async throws {
        #expect(
            try await shop.json("container RecipeRepository")
                == #"{"title":"RecipeRepository","name":"RecipeRepository","layer":"repository","#
                + #""module":"Kitchen","lifetime":"shared","isBuilt":false,"#
                + #""rows":[{"name":"Stove","layer":"service","module":"Kitchen","kind":"direct"}],"#
                + #""neededBy":[{"name":"Menu","layer":"aggregateModel","module":"Kitchen","#
                + #""kind":"direct"}]}"#
        )
        #expect(try await shop.output("container").content?.json["built"] == 0)
    }

    @Test("A service is shown with its environments; missing dependencies and dependents are stated")
    func ends() async throws {
        let service = try await shop.output("container Stove").content
        let screen = try await shop.output("container menu").content

        #expect(service?.json["environments"] == ["mock", "local"])
        #expect(service?.json["rows"] == [])
        #expect(service?.verbatimLines == ["Needs nothing."])
        #expect(screen?.json["neededBy"] == [])
        #expect(screen?.verbatimLines == ["Needed by nothing."])
        #expect(screen?.json["isBuilt"] == nil)
    }

    @Test("A name is case-insensitive, and selects all registrations with that name")
    func names() async throws {
        try shop.add("Pantry") { registry in
            registry.useCase(RecipeRepository.self) { _ in RecipeRepository(stove: ElectricStove()) }
            registry.repository(Menu.self, named: "lunch") { _ in
                Menu(recipes: RecipeRepository(stove: ElectricStove()))
            }
        }

        #expect(
            try await shop.output("container reciperepository").content?.titles == [
                "RecipeRepository", "RecipeRepository",
            ])
        #expect(try await shop.output("container \"Menu 'lunch'\"").content?.titles == ["Menu 'lunch'"])
        #expect(try await shop.output("container MENU").content?.titles == ["menu", "Menu", "Menu 'lunch'"])
    }

    @Test(
        "An unregistered name is an error that suggests the nearest name, or the command 'container'",
        arguments: ["container", "container graph"])
    func unknown(_ command: String) async throws {
        let near = try await shop.failure("\(command) RecipeRepositry")
        let far = try await shop.failure("\(command) Frobnicator")

        #expect(near?.code == .notRegistered)
        #expect(near?.message == "Nothing called 'RecipeRepositry' is registered.")
        #expect(near?.hint == "Did you mean 'RecipeRepository'?")
        #expect(far?.hint == "'container' lists what is.")
    }

    @Test("The graph is complete before anything is built, from all roots or from one")
    func graph() async throws {
        let all = try await shop.output("container graph").content?.verbatimLines
        let one = try await shop.output("container graph Menu").content?.verbatimLines

        #expect(
            all == [
                "menu (screen, Kitchen)",
                "└─ MenuViewModel (view model, Kitchen)",
                "   └─ Menu (aggregate model, Kitchen)",
                "      └─ RecipeRepository (repository, Kitchen)",
                "         └─ Stove (service, Kitchen)",
                "fair (screen, Shop)", "items (screen, Shop)", "items/:id (screen, Shop)",
            ])
        #expect(
            one
                == all?.dropFirst(2).prefix(3).map { $0.drop { "└─ ".contains($0) } }.enumerated().map(
                    indented))
    }

    private func indented(_ position: Int, _ line: Substring) -> String {
        (position == 0 ? "" : String(repeating: "   ", count: position - 1) + "└─ ") + line
    }

    @Test(
        "With --dot the graph is in Graphviz format, with the name before or after the flag",
        arguments: ["--dot Stove", "Stove --dot", "--dot=yes Stove", "--name Stove --dot"])
    func dot(_ arguments: String) async throws {
        let lines = try await shop.output("container graph \(arguments)").content?.verbatimLines

        #expect(lines?.first == "digraph Atrium {")
        #expect(lines?.contains { $0.hasSuffix(#"[label="Stove\nservice"];"#) } == true)
        #expect(lines?.contains { $0.contains("Menu") } == false)
    }
}

extension Content {
    /// The headings, in order.
    fileprivate var titles: [String] {
        blocks.compactMap { if case .title(let text) = $0 { text } else { nil } }
    }
}
