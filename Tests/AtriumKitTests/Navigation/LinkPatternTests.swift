import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Link patterns")
struct LinkPatternTests {
    @Test("A pattern is read as literals and arguments, and printed as it was written")
    func parsing() {
        let pattern: LinkPattern = "entities/:id/edit"

        #expect(pattern.segments == [.literal("entities"), .argument("id"), .literal("edit")])
        #expect(pattern.description == "entities/:id/edit")
        #expect(pattern.hasArguments)
        #expect(!LinkPattern("entities/new").hasArguments)
    }

    @Test("A path matches where every literal is equal, and gives the arguments")
    func matching() {
        let pattern: LinkPattern = "entities/:id/edit"

        #expect(pattern.match(["entities", "42", "edit"]) == ["id": "42"])
        #expect(pattern.match(["entities", "edit", "edit"]) == ["id": "edit"])
        #expect(pattern.match(["entities", "42"]) == nil)
        #expect(pattern.match(["entities", "42", "edit", "more"]) == nil)
        #expect(pattern.match(["Entities", "42", "edit"]) == nil)
    }

    @Test("The query does not matter to a match")
    func query() throws {
        #expect(LinkPattern("entities").matches(try Link("entities?page=2")))
        #expect(!LinkPattern("entities").matches(try Link("entities/2")))
    }

    @Test("Values go into the path where the pattern names them, else into the query in their order")
    func values() throws {
        let link = try LinkPattern("entities/:id").link(with: [
            Link.QueryItem(name: "sort", value: "name"), Link.QueryItem(name: "id", value: "42"),
            Link.QueryItem(name: "page", value: "2"),
        ])

        #expect(link.description == "entities/42?sort=name&page=2")
    }

    @Test(
        "A path argument needs a value that is not empty",
        arguments: [[], [Link.QueryItem(name: "id", value: "")]])
    func missing(_ values: [Link.QueryItem]) {
        let error = #expect(throws: LinkError.self) { try LinkPattern("entities/:id").link(with: values) }

        #expect(error?.message == "A link of the form 'entities/:id' needs a value for 'id'.")
    }
}
