@_spi(Host) import AtriumKit
import Testing

@testable import AtriumLanguage
@testable import AtriumText

@Suite("Steps after '|' that change a table")
@MainActor
struct TableShapeTests {
    private struct Part {
        let name: String
        let price: Int?
        let isSold: Bool
    }

    private let parts = [
        Part(name: "lamp", price: 20, isSold: true), Part(name: "Desk", price: 100, isSold: false),
        Part(name: "chair", price: nil, isSold: true), Part(name: "Shelf", price: 9, isSold: true),
    ]

    private func content(of parts: [Part], page: Int? = nil, of total: Int? = nil) -> Content {
        Content {
            Title("Parts")
            Table(parts) {
                Column("name") { $0.name }
                Column("price", label: "Price in €") { $0.price }
                Column("sold") { $0.isSold }
            }
            if let page { Field("page", page) }
            if let total { Field("total", total) }
            if let page, let total { Field("hasMore", page * parts.count < total) }
        }
    }

    private func shaped(_ steps: String, page: Int? = nil, of total: Int? = nil) throws -> Content {
        let command = try #require(try Lexer.commands(in: "parts | \(steps)").first)
        #expect(command.words.map(\.text) == ["parts"] && command.destination == nil)
        let shapes = try command.shapes.map { try TableShape($0.map(\.text)) }
        return try TableShape.apply(shapes, to: content(of: parts, page: page, of: total))
    }

    private func names(_ steps: String) throws -> [String] {
        try #require(try shaped(steps).firstTable).rows.map { $0[0].text }
    }

    // MARK: - Words

    @Test(
        "A step is read as a command is; what follows is the next step, a program or a file",
        arguments: [
            ("parts | count", [["count"]], nil), ("parts |count", [["count"]], nil),
            ("parts | where price > 5", [["where", "price", ">", "5"]], nil),
            ("parts | where price >= 5 > x", [["where", "price", ">=", "5"]], "file x"),
            (
                "parts | where name == 'a | b; c' | first 1",
                [["where", "name", "==", "a | b; c"], ["first", "1"]], nil
            ),
            ("parts | sort -name >> all", [["sort", "-name"]], "file all+"),
            ("parts | first 3 | sort | less", [["first", "3"], ["sort"]], "program less"),
            ("parts | first 3 | /bin/sort | less", [["first", "3"]], "program /bin/sort | less"),
            ("parts | /bin/sort", [], "program /bin/sort"), ("parts | sorted", [], "program sorted"),
            ("parts | grep where | sort", [], "program grep where | sort"),
            ("parts | count;", [["count"]], nil), ("parts | count # all", [["count"]], nil),
        ] as [(String, [[String]], String?)])
    func words(_ line: String, _ shapes: [[String]], _ destination: String?) throws {
        let command = try #require(try Lexer.commands(in: line).first)

        #expect(command.shapes.map { $0.map(\.text) } == shapes)
        let written: String? =
            switch command.destination {
            case .file(let word, let appends): "file \(word.text)\(appends ? "+" : "")"
            case .program(let text): "program \(text)"
            case .pager, nil: nil
            }
        #expect(written == destination)
    }

    @Test("A command after ';' and one in the background are what they were")
    func after() throws {
        let commands = try Lexer.commands(in: "parts | first 2; where; parts | count & modules")

        #expect(commands.map { $0.words.map(\.text) } == [["parts"], ["where"], ["parts"], ["modules"]])
        #expect(commands.map { $0.shapes.count } == [1, 0, 1, 0])
        #expect(commands.map(\.isInBackground) == [false, false, true, false])
    }

    @Test("A line of very many steps is read, and Tab offers nothing after one")
    func many() throws {
        let line = "parts" + String(repeating: " | first 3", count: 20_000)

        #expect(try Lexer.commands(in: line).first?.shapes.count == 20_000)
        #expect(Lexer.partialCommand("parts | sort na").words.isEmpty)
    }

    @Test("A variable in a step is a reference, as in a command")
    func variables() throws {
        let command = try #require(try Lexer.commands(in: "parts | where name == $wanted").first)

        #expect(command.shapes[0][3].references == [0..<7])
        #expect(command.shapes[0][3].start == 22)
    }

    @Test(
        "A step with other words than it takes says what it takes, with an example",
        arguments: [
            "where", "where price", "where price 5", "where price > 5 6", "sort", "sort a b", "first",
            "first x",
            "first -1", "first 99999999999999999999", "group", "count 3", "columns", "chart", "chart a b",
            "columns ,", "columns name name", "columns name,name", "sort -r name",
        ])
    func wrong(_ steps: String) throws {
        let error = #expect(throws: ShellError.self) { try shaped(steps) }

        let name = steps.prefix { $0 != " " }
        #expect(error?.message.hasPrefix("'| \(name)' takes ") == true)
        #expect(error?.hint?.hasPrefix("entities | \(name)") == true)
    }

    @Test(
        "A step that ends in '|' or an open quote is an error",
        arguments: ["count |", "where name == 'a", "first 1 >"])
    func unfinished(_ steps: String) {
        #expect(throws: ShellError.self) { try Lexer.commands(in: "parts | \(steps)") }
    }

    // MARK: - Tables

    @Test(
        "Rows are chosen as 'assert' compares",
        arguments: [
            ("where price > 9", ["lamp", "Desk"]), ("where price >= 9", ["lamp", "Desk", "Shelf"]),
            ("where price == 2e1", ["lamp"]), ("where price == ''", ["chair"]),
            ("where name contains a", ["lamp", "chair"]), ("where sold == no", ["Desk"]),
            ("where 'Price in €' < 100 | where sold == yes | first 1", ["lamp"]),
            ("where name == nothing", []), ("where price == null", ["chair"]),
            ("where price != null | where sold == true", ["lamp", "Shelf"]),
            ("where sold == false", ["Desk"]),
        ])
    func conditions(_ steps: String, _ expected: [String]) throws {
        #expect(try names(steps) == expected)
    }

    @Test(
        "Rows are sorted by number or text in any case, equal ones stay, those without a value come last",
        arguments: [
            ("sort name", ["chair", "Desk", "lamp", "Shelf"]),
            ("sort -name", ["Shelf", "lamp", "Desk", "chair"]),
            ("sort price", ["Shelf", "lamp", "Desk", "chair"]),
            ("sort -price", ["Desk", "lamp", "Shelf", "chair"]),
            ("sort sold", ["Desk", "lamp", "chair", "Shelf"]), ("sort -price | first 2", ["Desk", "lamp"]),
            ("first 0", []), ("first 99", ["lamp", "Desk", "chair", "Shelf"]),
        ])
    func order(_ steps: String, _ expected: [String]) throws {
        #expect(try names(steps) == expected)
    }

    @Test("Values are counted, chosen and drawn; the values for programs stay values")
    func totals() throws {
        #expect(try shaped("count").json["count"] == .integer(4))
        #expect(try shaped("where price > 9 | count").json["count"] == .integer(2))
        let groups = try #require(try shaped("group sold").firstTable)
        #expect(groups.rows.map { $0.map(\.text) } == [["yes", "3"], ["no", "1"]])
        #expect(groups.rows[0].map(\.value) == [.bool(true), .integer(3)])
        let columns = try #require(try shaped("columns price,name").firstTable)
        #expect(columns.headings.map(\.key) == ["price", "name"])
        #expect(columns.rows[0].map(\.value) == [.integer(20), .string("lamp")])
        let chart = try #require(try shaped("where price > 0 | chart price").firstTable)
        #expect(chart.rows.map { $0[0].text } == ["lamp", "Desk", "Shelf"])
        #expect(chart.rows.map { $0[2].text.count } == [8, 40, 4])
        #expect(chart.rows[0][1].value == .integer(20) && chart.headings[1].isNumeric)
        let counts = try #require(try shaped("chart sold").firstTable)
        #expect(counts.rows.map { $0[2].text.count } == [40, 13])
        #expect(try shaped("first 0 | chart price").firstTable?.rows.count == 0)
    }

    @Test("An unknown column is named, and so is a result without a table, and one page of a longer list")
    func refusals() throws {
        let unknown = #expect(throws: ShellError.self) { try shaped("sort prise") }
        #expect(unknown?.hint == "Did you mean 'price'?")
        let noTable = #expect(throws: ShellError.self) { try shaped("count | first 1") }
        #expect(noTable?.message == "After 'count' there is no table.")
        #expect(throws: ShellError.self) { try TableShape.apply([.count], to: Content { Title("t") }) }

    }

    @Test("A bar is as long as its number, and empty for a negative one")
    func negative() throws {
        for numbers in [[-5], [-5, 0], [1, .min], [.max, 0], [Int]()] {
            let parts = numbers.map { Part(name: "\($0)", price: $0, isSold: true) }
            let chart = try TableShape.apply([.chart(column: "price")], to: content(of: parts))

            let bars = try #require(chart.firstTable).rows.map { $0[2].text.count }
            #expect(bars == numbers.map { $0 > 0 ? 40 : 0 })
        }
    }

    @Test("Steps take a program's rows, whatever other tables are shown before them")
    func rows() throws {
        let two = Content {
            Table(["a", "b", "c"], key: "subjects") { Column("subject") { $0 } }
            Table(parts) { Column("name") { $0.name } }
        }

        #expect(try TableShape.apply([.count], to: two).json["count"] == .integer(4))
        #expect(throws: ShellError.self) { try TableShape.apply([.columns(["name", "Name"])], to: two) }
    }

    @Test("'count' before another step is an error before a command runs")
    func last() throws {
        #expect(throws: ShellError.self) { try TableShape.check([.count, .first(1)]) }
        try TableShape.check([.first(1), .count])
    }

    @Test(
        "A page of a longer list is named, the last one too",
        arguments: [
            (1, 4, nil), (1, 46, "Only the 4 rows of this page were taken, of 46."),
            (12, 46, "Only the 4 rows of this page were taken, of 46."), (nil, 46, nil),
        ] as [(Int?, Int, String?)])
    func pages(_ page: Int?, _ total: Int, _ warning: String?) throws {
        let notices = try shaped("count", page: page, of: total).blocks.compactMap { block in
            if case .notice(let notice) = block { notice.text } else { nil }
        }
        #expect(notices == [warning].compactMap(\.self))
    }

    @Test("The steps of an empty list, which has a note instead of a table, leave it; 'count' is 0")
    func empty() throws {
        let empty = Content {
            Notice(.information, "Add your first part")
            Field("rows", [String]())
        }

        #expect(try TableShape.apply([.count], to: empty).json["count"] == .integer(0))
        #expect(try TableShape.apply([.first(1)], to: empty).json == empty.json)
        #expect(throws: ShellError.self) { try TableShape.apply([.count, .first(1)], to: empty) }
    }
}
