import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumText

private struct MakerView: View {
    var body: Content {
        Field("name", "Ada")
        Group("address", title: "Address") {
            Text("The house at the very end of the road")
        }
    }
}

@Suite("Groups of a screen as text")
@MainActor
struct PartsTextTests {
    private func render(_ content: Content, width: Int) -> String {
        TextRenderer(width: width, style: TextStyle(isColored: false)).render(content)
    }

    @Test("A group with a heading is indented below it, and a group in it further")
    func nested() {
        let content = Content {
            Title("Lamp")
            Group("maker", title: "Maker") { MakerView() }
            Field("count", 2)
        }

        #expect(
            render(content, width: 30) == """
                Lamp

                Maker
                  Name  Ada

                  Address
                    The house at the very end
                    of the road

                Count  2

                """)
    }

    @Test("Groups are not indented further if that leaves fewer than 20 columns")
    func narrow() {
        var content = Content { Text("The house at the end") }
        for _ in 0..<12 { content = Content { [Group("part", title: "Part") { content }] } }

        let lines = render(content, width: 25).split(separator: "\n")

        #expect(lines.suffix(2) == ["    Part", "    The house at the end"])
    }

    @Test("A group without visible content leaves no gap")
    func nothing() {
        let content = Content {
            Title("Lamp")
            Group("state") { Group("inner") { Verbatim("word", [], value: "on") } }
            Field("count", 2)
        }

        #expect(render(content, width: 40) == "Lamp\nCount  2\n")
    }

    @Test("Labels wrap between words, and values are below them if words would be broken")
    func fields() {
        let content = Content {
            Field("firstAndLastName", "Ada")
            Field("email", "ada@example.com")
        }

        #expect(
            render(content, width: 40) == """
                First and  Ada
                last name
                Email      ada@example.com

                """)
        #expect(
            render(content, width: 20) == """
                First and last name
                  Ada
                Email
                  ada@example.com

                """)
    }

    @Test("A quoted argument in a hint is not broken, even in 20 columns")
    func hints() {
        let content = Content {
            Notice(.information, "Add your first lamp", hint: "lamps create --name 'A lamp'")
        }

        #expect(
            render(content, width: 20) == """
                Note: Add your first
                  lamp
                Try: lamps create
                  --name 'A lamp'

                """)
    }

    @Test("Progress has a text, and a bar if there is room for it")
    func progress() {
        let content = Content {
            Title("Lamps")
            Progress("import", label: "Importing", completed: 3, of: 10, elapsed: .seconds(4))
            Progress("check", label: "Checking", completed: 10, of: 10)
            Progress("load", label: "Loading")
        }

        #expect(
            render(content, width: 43) == """
                Lamps
                Importing: 3 of 10 (30 %), 4 s
                Checking: 10 of 10 (100 %)  [##########]
                Loading

                """)
        #expect(render(content, width: 44).contains("Importing: 3 of 10 (30 %), 4 s  [###-------]\n"))
        #expect(render(content, width: 20).contains("\nImporting: 3 of 10\n  (30 %), 4 s\n"))
    }
}
