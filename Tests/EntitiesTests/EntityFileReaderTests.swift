import TestSupport
import Testing

@testable import AtriumKit
@testable import Entities

@Suite("Entity file reader")
struct EntityFileReaderTests {
    private let folder = TemporaryFolder()

    /// The rows of a file: `LINE name|category|notes` for an entity, the findings for an invalid row.
    private func rows(_ bytes: some Sequence<UInt8>, _ format: RecordFileFormat) throws -> [String] {
        let file = EntityFile(path: folder.write(bytes, to: "file"), format: format)
        var rows: [String] = []
        try file.read { row, line in
            switch row {
            case .success(let draft):
                rows.append("\(line) \(draft.name)|\(draft.category ?? "-")|\(draft.notes ?? "-")")
            case .failure(let error):
                rows += error.findings.map { finding in
                    let line = finding.line ?? line
                    return ValidationFinding(finding.message, line: line, column: finding.column).text
                }
            }
            return true
        }
        return rows
    }

    private func csv(_ text: String) throws -> [String] { try rows(text.utf8, .csv) }
    private func json(_ text: String) throws -> [String] { try rows(text.utf8, .jsonLines) }

    // MARK: - CSV

    @Test(
        "CSV is read according to RFC 4180, with CRLF or LF",
        arguments: [
            ("name,category,notes\r\na,b,c\r\n", ["2 a|b|c"]),
            ("name,category,notes\na,b,c", ["2 a|b|c"]),
            ("notes,name\nc,a\n", ["2 a|-|c"]),
            ("\u{FEFF}name\na\n", ["2 a|-|-"]),
            ("NAME , Notes\na,b\n", ["2 a|-|b"]),
            ("\"name\",\"notes\"\n\"a\",\"b\"\n", ["2 a|-|b"]),
            ("name,notes\n\"a \"\"b\"\"\",\"c, d\"\n", ["2 a \"b\"|-|c, d"]),
            ("name,notes\n\"\"\"\"\"\",\"\"\n", ["2 \"\"|-|-"]),
            ("name,notes\na,\"one\ntwo\r\nthree\rfour\"\nb,c\n", ["2 a|-|one\ntwo\nthree\nfour", "5 b|-|c"]),
            ("name\n\n\r\na\n\n", ["4 a|-|-"]),
            ("name\na\r", ["2 a|-|-"]),
            ("id,name,createdAt,updatedAt\n7,a,x,y\n", ["2 a|-|-"]),
            ("name\n a \n\" b \"\n", ["2 a|-|-", "3 b|-|-"]),
            ("name,notes\né,\"\u{301}\"\n", ["2 é|-|\u{301}"]),
            ("name,notes\n灯,👩‍👩‍👧‍👦\n", ["2 灯|-|👩‍👩‍👧‍👦"]),
            ("name\n", []),
            ("name;notes\na;\"b;c\"\n", ["2 a|-|b;c"]), ("name\tnotes\r\na\tb, c\r\n", ["2 a|-|b, c"]),
            ("\u{FEFF}sep=;\r\nname;notes\r\na;b\r\n", ["3 a|-|b"]),
            ("sep=|\nname|notes\na|b\n", ["3 a|-|b"]),
            ("\"name\";\"notes\"\na;b\n", ["2 a|-|b"]), ("name,notes\na;b,c\n", ["2 a;b|-|c"]),
            ("name\na;b\n", ["2 a;b|-|-"]), ("name,notes\nz,e\u{301}\n", ["2 z|-|\u{E9}"]),
        ])
    func csv(_ text: String, _ expected: [String]) throws {
        #expect(try csv(text) == expected)
    }

    @Test(
        "Mistakes in CSV are reported with their position, and the rows after them are read",
        arguments: [
            (
                "name,notes\na\"b,c\nd,e\n",
                ["Line 2, column 2: A field that does not begin with a quote contains one.", "3 d|-|e"]
            ),
            (
                "name,notes\nx,\"a\"b\nd,e\n",
                [
                    "Line 2, column 6: Only a separator or the end of the line may follow a closing quote.",
                    "3 d|-|e",
                ]
            ),
            ("name,notes\n灯,\"a\nb,c\n", ["Line 2, column 3: The quote is never closed."]),
            (
                "name,notes\na\nb,c,d\n",
                [
                    "Line 2: The row has 1 fields, but the header 2.",
                    "Line 3: The row has 3 fields, but the header 2.",
                ]
            ),
            (
                "name\na\rb\nc\n",
                [
                    "Line 2, column 2: A carriage return has no line feed after it: lines end with CRLF or LF.",
                    "3 c|-|-",
                ]
            ),
            (
                "name,notes\n\"a\nb\" x,c\nd,e\n",
                [
                    "Line 3, column 3: Only a separator or the end of the line may follow a closing quote.",
                    "4 d|-|e",
                ]
            ),
        ])
    func brokenCSV(_ text: String, _ expected: [String]) throws {
        #expect(try csv(text) == expected)
    }

    @Test("A field that is not UTF-8 is reported with its line and column")
    func encoding() throws {
        let bytes = Array("name,notes\na,".utf8) + [0xC3, 0x28] + Array("\nb,c\n".utf8)

        #expect(try rows(bytes, .csv) == ["Line 2, column 3: The text is not UTF-8.", "3 b|-|c"])
    }

    @Test(
        "An invalid header is refused",
        arguments: [
            ("", "Line 1: The file is empty; its first line names the columns: name,category,notes."),
            ("\n\n", "Line 1: The file is empty; its first line names the columns: name,category,notes."),
            ("notes\n", "Line 1: There is no column 'name'."),
            (
                "name,notse\n",
                "Line 1, column 6: There is no field 'notse'; an entity has name, category and notes."
            ),
            ("name,notes,Name\n", "Line 1, column 12: There are two columns 'Name'."),
            ("name,\"notes\n", "Line 1, column 6: The quote is never closed."),
        ])
    func header(_ text: String, _ finding: String) throws {
        let error = #expect(throws: ValidationError.self) { try csv(text) }

        #expect(error?.findings.map(\.text) == [finding])
    }

    @Test(
        "The error for a UTF-16 file names the encoding",
        arguments: [[0xFF, 0xFE, 0x6E, 0x00], [0xFE, 0xFF, 0x00, 0x6E]] as [[UInt8]])
    func otherEncoding(_ bytes: [UInt8]) throws {
        for format in RecordFileFormat.allCases {
            let error = #expect(throws: FileError.self) { try rows(bytes, format) }

            #expect(
                error?.message
                    == "The file '\(folder.path("file"))' can't be read: it is in UTF-16, not in UTF-8.")
        }
    }

    @Test("Reading stops at a row of more than 4 MiB", arguments: RecordFileFormat.allCases)
    func tooLong(_ format: RecordFileFormat) throws {
        let long = String(repeating: "x", count: 5 << 20)
        let text = format == .csv ? "name\na\n\"\(long)" : "{\"name\": \"a\"}\n{\"name\": \"\(long)\"}\n"

        let found = try rows(text.utf8, format)

        #expect(found.count == 2)
        let line = format == .csv ? 3 : 2
        #expect(found.last == "Line \(line): The row has more than 4 MiB; nothing after it was read.")
    }

    // MARK: - JSON lines

    @Test(
        "JSON lines are read according to RFC 8259",
        arguments: [
            (#"{"name":"a","category":"b","notes":"c"}"#, ["1 a|b|c"]),
            ("\u{FEFF}{\"name\":\"a\"}\r\n\n \t\n{\"name\":\"b\"}", ["1 a|-|-", "4 b|-|-"]),
            (#" { "notes" : null , "name" : "a" } "#, ["1 a|-|-"]),
            (#"{"name":"\"\\\/\u0041\uD83D\uDD26 é","notes":"x\n\r\ty"}"#, ["1 \"\\/A🔦 é|-|x\n\n\ty"]),
            (#"{"name":"a","notes":"\n\r\t"}"#, ["1 a|-|-"]),
            (#"{"name":"\b\f"}"#, ["Line 1: The name must not contain control characters."]),
            (#"{"id":1,"name":"a","createdAt":[1,-2.5e+3,{"x":[true,false,null,0.1]}]}"#, ["1 a|-|-"]),
            (#"{}"#, ["Line 1: The name is empty."]),
            ("", []),
        ])
    func json(_ text: String, _ expected: [String]) throws {
        #expect(try json(text) == expected)
    }

    @Test(
        "A line that is not a valid entity is reported, and the lines after it are read",
        arguments: [
            (#"[1]"#, "Line 1: An object is expected."),
            (#"x"#, "Line 1: The line is not valid JSON."),
            (#"{"name":"a""#, "Line 1: The line is not valid JSON."),
            (#"{"name":"a",}"#, "Line 1: The line is not valid JSON."),
            (#"{name:"a"}"#, "Line 1: The line is not valid JSON."),
            (#"{"name" "a"}"#, "Line 1: The line is not valid JSON."),
            (#"{"name":"灯"} x"#, "Line 1: The line is not valid JSON."),
            (#"{"name":"a"#, "Line 1: The line is not valid JSON."),
            ("{\"name\":\"a\tb\"}", "Line 1: The line is not valid JSON."),
            (#"{"name":"\x"}"#, "Line 1: The line is not valid JSON."),
            (#"{"name":"\uD83D"}"#, "Line 1: The line is not valid JSON."),
            (#"{"name":1}"#, "Line 1: The name must be a text, not 1."),
            (#"{"name":null}"#, "Line 1: The name must be a text, not null."),
            (#"{"name":"a","notes":{"a":[]}}"#, #"Line 1: The notes must be a text, not {"a":[]}."#),
            (
                #"{"name":"a","Notes":"b"}"#,
                "Line 1: There is no field 'Notes'; an entity has name, category and notes."
            ),
            (#"{"name":"a","id":nul}"#, "Line 1: The line is not valid JSON."),
        ])
    func brokenJSON(_ text: String, _ finding: String) throws {
        #expect(try json(text + "\n{\"name\":\"b\"}\n") == [finding, "2 b|-|-"])
    }

    @Test("Deeply nested brackets are refused")
    func depth() throws {
        let brackets = String(repeating: "[", count: 100_000)

        let found = try json("{\"name\":\"a\",\"id\":\(brackets)")

        #expect(found == ["Line 1: The line is not valid JSON."])
    }

    @Test("All mistakes in a line are reported together")
    func several() throws {
        #expect(
            try json(#"{"name":1,"nmae":"a","notes":true}"#) == [
                "Line 1: The name must be a text, not 1.",
                "Line 1: There is no field 'nmae'; an entity has name, category and notes.",
                "Line 1: The notes must be a text, not true.",
            ])
    }

    // MARK: - Whole files

    @Test("The check stops after 100 findings")
    func hundred() async throws {
        let path = folder.write(("name\n" + String(repeating: "\"\"\n", count: 250)).utf8, to: "a.csv")

        let error = await #expect(throws: ValidationError.self) { try await EntityFile(path).check() }

        #expect(error?.findings.count == 100)
        #expect(error?.findings.last?.line == 101)
        #expect(
            error?.message == """
                The file '\(path)' has 100 mistakes or more; nothing was imported. Line 2: The name is empty. \
                Line 3: The name is empty. Line 4: The name is empty. And 97 more.
                """)
        #expect(error?.category == .validation)
    }

    @Test("Arbitrary bytes never crash the reader", arguments: RecordFileFormat.allCases)
    func hostile(_ format: RecordFileFormat) throws {
        var random = SeededGenerator(seed: 11)
        let marks = Array("\",\n\r{}[]:\\u0aname".utf8) + [0x00, 0xC3, 0xE7, 0x81, 0xFF]
        let start = Array((format == .csv ? "name,notes\n" : "{\"name\":\"").utf8)
        for _ in 1...2_000 {
            let count = Int.random(in: 0...40, using: &random)
            let bytes = (0..<count).map { _ in marks.randomElement(using: &random) ?? 0 }

            let found = try rows(start + bytes, format)

            #expect(found.count <= count + 1)
        }
    }
}
