import AtriumKit
import Testing

@testable import AtriumShell

private struct MakerView: View {
    var body: Content {
        Field("name", "Ada")
        Group("address", title: "Address") {
            Text("The house at the very end of the road")
        }
    }
}

@Suite("Parts of a screen as text")
@MainActor
struct PartsTextTests {
    private func render(_ content: Content, width: Int) -> String {
        TextRenderer(width: width, style: TextStyle(isColored: false)).render(content)
    }

    @Test("A part with a heading is set in below it, one within it further")
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

    @Test("Parts are not set in any further where that leaves less than twenty columns")
    func narrow() {
        var content = Content { Text("The house at the end") }
        for _ in 0..<12 { content = Content { [Group("part", title: "Part") { content }] } }

        let lines = render(content, width: 25).split(separator: "\n")

        #expect(lines.suffix(2) == ["    Part", "    The house at the end"])
    }

    @Test("A part of which people see nothing leaves no gap")
    func nothing() {
        let content = Content {
            Title("Lamp")
            Group("state") { Group("inner") { Verbatim("word", [], value: "on") } }
            Field("count", 2)
        }

        #expect(render(content, width: 40) == "Lamp\nCount  2\n")
    }

    @Test("Labels are broken between words, and values stand below them where words would be broken")
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

    @Test("A command to try keeps its arguments in quotes together, in twenty columns too")
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

    @Test("Progress has words, and a bar where there is room for it")
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
