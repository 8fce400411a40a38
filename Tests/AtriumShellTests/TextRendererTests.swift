import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("Content as text")
struct TextRendererTests {
    private func render(_ content: Content, width: Int = 40, isColored: Bool = false) -> String {
        TextRenderer(width: width, style: TextStyle(isColored: isColored)).render(content)
    }

    @Test("Blocks are separated by empty lines, but a heading is directly above its text")
    func blocks() {
        let text = render(
            Content {
                Title("Lamp")
                Text("It shines.")
                Field("id", 7)
                Field("firstName", "Ada")
                Field("soldOn", String?.none)
                Table([1, 12], key: "prices") {
                    Column("price") { $0 }
                    Column("name") { "n\($0)" }
                    Column("secretKey", isHidden: true) { $0 }
                }
                Group("maker") { Text("By Ada.") }
            })

        #expect(
            text == """
                Lamp
                It shines.

                Id          7
                First name  Ada
                Sold on     -

                Price  Name
                    1  n1
                   12  n12

                By Ada.

                """)
    }

    @Test("Each kind of notice has its own word, and a hint begins with 'Try'")
    func notices() {
        let text = render(
            Content {
                Notice(.information, "One.", hint: "open lamps")
                Notice(.success, "Two.")
                Notice(.warning, "Three is a long story that does not fit.")
                Notice(.problem, "Four.")
            }, width: 30)

        #expect(
            text == """
                Note: One.
                Try: open lamps
                Done: Two.
                Warning: Three is a long story
                  that does not fit.
                Problem: Four.

                """)
    }

    @Test("Colours are added to the same text, and end within their line")
    func colours() {
        let content = Content {
            Title("Lamp")
            Field("id", 7)
            Notice(.warning, "Hot.")
        }

        #expect(
            render(content, isColored: true)
                == "\u{1B}[1mLamp\u{1B}[0m\n\u{1B}[2mId\u{1B}[0m  7\n\n\u{1B}[33mWarning:\u{1B}[0m Hot.\n")
        #expect(
            render(Content { Field("state", "active") }, isColored: true)
                == "\u{1B}[2mState\u{1B}[0m  \u{1B}[32mactive\u{1B}[0m\n")
    }

    @Test("Long values wrap beside their label, and keep their line ends")
    func longValues() {
        let text = render(
            Content {
                Field("notes", "A lamp for the desk\nin the attic")
                Field("aVeryLongLabelIndeed", "x")
            }, width: 24)

        #expect(
            text == """
                Notes   A lamp for the
                        desk
                        in the attic
                A very  x
                long
                label
                indeed

                """)
    }

    @Test("A table without rows is omitted if there is a notice, and otherwise shows its head")
    func emptyTable() {
        let table = Table([Int]()) { Column("price") { $0 } }

        #expect(render(Content { table }) == "Price\n")
        #expect(
            render(
                Content {
                    table; Notice(.information, "Nothing yet.")
                }) == "Note: Nothing yet.\n")
    }

    @Test("Empty content is an empty text")
    func empty() {
        #expect(render(Content()) == "")
    }
}
