@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumText

@Suite("What the end of a command says about its output")
@MainActor
struct OutputOptionTests {
    private func taken(
        _ line: String, own: Set<String> = []
    ) throws -> (options: OutputOptions, words: [String]) {
        var command = try #require(try Lexer.commands(in: line).first)
        let options = try OutputOptions.take(from: &command) { own.contains($0) }
        return (options, command.words.map(\.text))
    }

    @Test("They are taken from the end, in any order, and nowhere else")
    func end() throws {
        let both = try taken("items list --columns id,name --json")
        let other = try taken("items --json --columns=name")
        let inside = try taken("items --json list")
        let quoted = try taken("create '--json'")
        let escaped = try taken(#"create \--json"#)

        #expect(both.options == OutputOptions(isJSON: true, columns: ["id", "name"]))
        #expect(both.words == ["items", "list"])
        #expect(other.options == OutputOptions(isJSON: true, columns: ["name"]))
        #expect(inside.options == OutputOptions())
        #expect(inside.words == ["items", "--json", "list"])
        #expect(quoted.words == ["create", "--json"])
        #expect(escaped.options == OutputOptions() && escaped.words == quoted.words)
    }

    @Test("An action keeps an option that it has itself")
    func own() throws {
        let kept = try taken("report --columns 3 --json", own: ["columns"])

        #expect(kept.options == OutputOptions(isJSON: true))
        #expect(kept.words == ["report", "--columns", "3"])
    }

    @Test("An empty name is refused")
    func empty() {
        let error = #expect(throws: ArgumentError.self) { try taken("items --columns id,,name") }

        #expect(error?.message == "'--columns' takes names with commas between them.")
    }

    private let content = Content {
        Title("Items")
        Table([(id: 1, name: "Lamp"), (id: 2, name: "Desk")]) {
            Column("id") { $0.id }
            Column("name") { $0.name }
            Column("note", isHidden: true) { "about \($0.name)" }
        }
    }

    @Test("Columns are chosen by key or heading, in the order asked for, also hidden ones")
    func columns() throws {
        let reply = Reply(command: "items", outcome: .done(Reply.Output(content: content)))

        guard case .done(let output) = reply.keeping(columns: ["note", "Id"]).outcome else {
            Issue.record("The columns were refused.")
            return
        }

        #expect(
            output.text(TextRenderer(width: 80))
                == "Items\n\nNote        Id\nabout Lamp   1\nabout Desk   2\n")
    }

    @Test("Of two tables under one key, programs get the columns of the last, as they get its rows")
    func columnsOfHiddenTable() throws {
        let content = Content {
            Table([(id: 1, name: "Lamp")]) { Column("id") { $0.id } }
            Table([(id: 1, name: "Lamp")]) {
                Column("name", isHidden: true) { $0.name }
                Column("id", isHidden: true) { $0.id }
            }
        }
        let reply = Reply(command: "items", outcome: .done(Reply.Output(content: content)))

        guard case .done(let output) = reply.keeping(columns: ["name"], forPrograms: true).outcome else {
            Issue.record("The columns were refused.")
            return
        }

        #expect(output.json == ["rows": [["name": "Lamp"]]])
        #expect(failure(reply.keeping(columns: ["name"])) == "The table has no column 'name'.")
    }

    @Test("An unknown column is an error; a result without a table stays as it is")
    func unknown() {
        let reply = Reply(command: "items", outcome: .done(Reply.Output(content: content)))
        let plain = Reply(command: "create", outcome: .done(Reply.Output(message: "Created.")))

        #expect(failure(reply.keeping(columns: ["nam"])) == "The table has no column 'nam'.")
        let kept = plain.keeping(columns: ["id"])
        #expect(failure(kept) == nil)
        #expect(text(kept) == "Created.\n")
    }

    private func failure(_ reply: Reply) -> String? {
        if case .failed(let error) = reply.outcome { error.message } else { nil }
    }

    private func text(_ reply: Reply) -> String? {
        if case .done(let output) = reply.outcome { output.text(TextRenderer(width: 80)) } else { nil }
    }
}
