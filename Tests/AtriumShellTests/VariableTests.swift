@_spi(Host) import AtriumKit
import AtriumNavigation
import Testing

@testable import AtriumShell

@Suite("Variables")
@MainActor
struct VariableTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
    }

    @Test(
        "A '$' before a name refers to a variable, with a path, but not in single quotes or behind a backslash"
    )
    func references() throws {
        func references(_ line: String) throws -> [String] {
            try Lexer.commands(in: line)[0].words.flatMap { word in
                word.references.map { String(decoding: Array(word.text.utf8)[$0], as: UTF8.self) }
            }
        }
        #expect(try references(#"a$b "c $d.e f" $_.rows[0].id"#) == ["$b", "$d.e", "$_.rows[0].id"])
        #expect(try references(#"é$x.y. $z[a] $w['b']"#) == ["$x.y", "$z", "$w"])
        #expect(try references(#"'$a' \$b "\$c" $ $1 $$ "$""#).isEmpty)
    }

    @Test("A word with references is quoted so that it refers to the same variables")
    func quoting() throws {
        for line in [#""$a b""#, #""\$a $b""#, #"'$a'"#, #""it's \$a""#] {
            let words = try Lexer.commands(in: line)[0].words
            let again = try Lexer.commands(in: words.map(Quoting.quote).joined(separator: " "))[0].words
            #expect(again.map(\.text) == words.map(\.text), "\(line)")
            #expect(again.map(\.references) == words.map(\.references), "\(line)")
        }
    }

    @Test("$_ is the last result and 'let' keeps one; both have paths")
    func results() async throws {
        _ = try await shop.output("let lamp = items/42")
        #expect(try await shop.json("items/$_.id") == #"{"id":42}"#)
        _ = try await shop.output("items")
        #expect(try await shop.json(#""items/$lamp.id""#) == #"{"id":42}"#)
        _ = try await shop.output("items")
        let created = try await shop.output("items create $_.rows[0].line")
        #expect(created.message == "Created 'load'.")
    }

    @Test(
        "A variable that is not set, or a path that leads nowhere, is an error, and nothing is run",
        arguments: [
            ("items create $_", "There is no result yet, so '$_' has no value."),
            ("items create $lamb", "The variable '$lamb' is not set."),
            ("let lamp = items; items create $lamp.row", "'$lamp' has no member 'row'."),
            ("let lamp = items; items create $lamp.rows[1]", "'$lamp.rows' has no element 1."),
            (
                "let lamp = items; items create $lamp.rows.id",
                "'$lamp.rows' is no object, so it has no member 'id'."
            ),
            ("let = items", "'let' takes a name of letters, digits and _, then '=' and a command."),
        ])
    func errors(_ line: String, _ message: String) async throws {
        let commands = try Lexer.commands(in: line)
        for command in commands.dropLast() { _ = await shop.interpreter.run(command) }
        let before = shop.log.lines
        guard case .failed(let error) = await shop.interpreter.run(commands[commands.count - 1]).outcome
        else {
            Issue.record("'\(line)' has not failed")
            return
        }
        #expect(error.message == message)
        #expect(error.hint != nil)
        #expect(shop.log.lines == before)
    }
}
