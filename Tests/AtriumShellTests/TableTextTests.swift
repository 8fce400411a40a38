import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("Tables as text")
struct TableTextTests {
    private struct Lamp {
        let id: Int
        let name: String
        let price: Double?
        let made: Timestamp
    }

    private let lamps = [
        Lamp(id: 7, name: "A very long name of a lamp", price: 9.5, made: Timestamp(microseconds: 0)),
        Lamp(id: 12, name: "Short", price: nil, made: Timestamp(microseconds: 86_400_000_000)),
    ]

    private func render(_ content: some ContentElement, width: Int) -> String {
        TextRenderer(width: width, style: TextStyle(isColored: false)).render(content.content)
    }

    private var table: Table<Lamp> {
        Table(lamps) {
            Column("id") { $0.id }
            Column("name") { $0.name }
            Column("price") { $0.price }
            Column("made") { $0.made }
        }
    }

    @Test("With enough room each cell has one line, and numbers are right-aligned")
    func natural() {
        #expect(
            render(table, width: 60) == """
                Id  Name                        Price  Made
                 7  A very long name of a lamp    9.5  1970-01-01 00:00 UTC
                12  Short                              1970-01-02 00:00 UTC

                """)
    }

    @Test("With less room texts wrap at spaces before times do, and numbers never wrap")
    func wrapping() {
        #expect(
            render(table, width: 48) == """
                Id  Name             Price  Made
                 7  A very long        9.5  1970-01-01 00:00 UTC
                      name of a
                      lamp
                12  Short                   1970-01-02 00:00 UTC

                """)
        #expect(
            render(table, width: 36) == """
                Id  Name          Price  Made
                 7  A very long     9.5  1970-01-01
                      name of a            00:00 UTC
                      lamp
                12  Short                1970-01-02
                                           00:00 UTC

                """)
    }

    @Test("If columns would be unreadable, each row is a block of labelled values")
    func records() {
        #expect(
            render(table, width: 24) == """
                Id     7
                Name   A very long name
                       of a lamp
                Price  9.5
                Made   1970-01-01 00:00
                       UTC

                Id     12
                Name   Short
                Price  -
                Made   1970-01-02 00:00
                       UTC

                """)
    }

    @Test("Without rows the names of the columns are still shown")
    func headOfNothing() {
        let table = Table([Lamp]()) {
            Column("first", label: "The first of many") { $0.name }
            Column("second", label: "The second") { $0.name }
            Column("third", label: "The last one") { $0.name }
        }

        #expect(render(table, width: 60) == "The first of many  The second  The last one\n")
        #expect(render(table, width: 20) == "The first of many\nThe second  The last\none\n")
    }

    @Test("A long word is broken only if no other column can be narrower")
    func longWords() {
        let table = Table(["/usr/lib/modules/Entities.so"]) {
            Column("path") { $0 }
            Column("what") { _ in "what it is that lies there" }
        }

        #expect(
            render(table, width: 48) == """
                Path                          What
                /usr/lib/modules/Entities.so  what it is that
                                                lies there

                """)
        #expect(
            render(table, width: 30) == """
                Path            What
                /usr/lib/       what it is
                  modules/        that lies
                  Entities.so     there

                """)
    }

    @Test("Text without spaces is broken between its characters, which are two columns wide")
    func ideographs() {
        let table = Table(["日本語日本語日本語"]) {
            Column("id") { _ in 1 }
            Column("name") { $0 }
        }

        #expect(render(table, width: 20) == "Id  Name\n 1  日本語日本語日本\n      語\n")
    }

    @Test("A text that is an id keeps its width; another of the same length does not")
    func ids() {
        let table = Table(["abc def ghi jkl mno"]) {
            Column("ownerId") { $0 }
            Column("owner") { $0 }
        }

        #expect(
            render(table, width: 32) == """
                Owner id             Owner
                abc def ghi jkl mno  abc def ghi
                                       jkl mno

                """)
    }
}
