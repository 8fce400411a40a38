import AtriumKit
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumText
@testable import AtriumViews

@Suite("The line that closes a list")
struct ClosingLineTests {
    private func list(_ names: [String]) -> Content {
        Content {
            Title("Lamps")
            Table(names) { Column("name") { $0 } }
            ClosingLine.total(names.count, "lamp", names.isEmpty ? nil : "all of them")
        }
    }

    @Test("It is directly below the rows, without a label; programs get the number")
    func below() {
        let content = list(["Desk", "Floor"])

        #expect(
            TextRenderer(width: 40).render(content) == "Lamps\n\nName\nDesk\nFloor\n2 lamps: all of them\n")
        #expect(content.json["total"] == 2)
        #expect(content.json["rows"] == [["name": "Desk"], ["name": "Floor"]])
        #expect(list(["Desk"]).json["total"] == 1)
    }

    @Test("Nothing is said of an empty list, and programs still get the number")
    func empty() {
        #expect(TextRenderer(width: 40).render(list([])) == "Lamps\n\nName\n")
        #expect(list([]).json["total"] == 0)
    }

    @Test("It is a line of its own below records, which blank lines separate, and is broken at blanks")
    func narrow() {
        let content = Content {
            Table(["Desk lamp"]) {
                Column("name") { $0 }
                Column("category") { _ in "lighting" }
                Column("notes") { _ in "Stands by the chair" }
            }
            ClosingLine.total(3, "lamp", "one of them shown")
        }

        let text = TextRenderer(width: 20).render(content)

        #expect(text.hasSuffix("\n\n3 lamps: one of them\n  shown\n"), "\(text)")
    }

    @Test("'live' tells a change of its number, not of its words")
    func changes() {
        let changes = ContentChange.changes(from: list(["Desk"]), to: list(["Desk", "Floor"]))

        #expect(changes.map(\.sentence) == ["total: 1 -> 2", "row 'Floor' added"])
    }
}

@Suite("Weights and colours")
struct TextStyleTests {
    private func render(_ content: Content) -> String {
        TextRenderer(width: 60, style: TextStyle(isColored: true)).render(content)
    }

    @Test("The value that names a row is bold, headings are underlined, the closing line is faint")
    func weights() {
        let text = render(
            Content {
                Table(["Desk"]) {
                    Column("id") { _ in 1 }
                    Column("name") { $0 }
                }
                ClosingLine.total(1, "lamp")
            })

        #expect(
            text == """
                \u{1B}[2;4mId\u{1B}[0m  \u{1B}[2;4mName\u{1B}[0m
                 1  \u{1B}[1mDesk\u{1B}[0m
                \u{1B}[2m1 lamp\u{1B}[0m

                """)
    }

    @Test(
        "A state is told by its word, and has the colour of what it means",
        arguments: zip(
            ["active", "failed", "waiting for Session", "resolved", "odd"], ["32", "31", "33", "2", nil]))
    func states(_ word: String, _ code: String?) {
        let painted = code.map { "\u{1B}[\($0)m\(word)\u{1B}[0m" } ?? word

        #expect(render(Content { Field("state", word) }) == "\u{1B}[2mState\u{1B}[0m  \(painted)\n")
        #expect(render(Content { Field("title", word) }) == "\u{1B}[2mTitle\u{1B}[0m  \(word)\n")
        let table = Content { Table([word]) { Column("state") { $0 } } }
        #expect(render(table).hasSuffix("\n\(painted)\n"))
        #expect(render(table).withoutEscapes == TextRenderer(width: 60).render(table))
    }
}
