@_spi(Host) import AtriumKit
import AtriumNavigation
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumText

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

    @Test("'inspect' has variables but for '$_' at the start of a word, which is the value of code itself")
    func inspected() throws {
        var variables = Variables()
        let result = Reply.Output(content: Content { Field("index", 3) })
        for name in ["p", Variables.last] { variables.set(name, to: result) }

        for (word, expanded) in [
            ("Lamps.rows[$p.index]", "Lamps.rows[3]"), ("$_", "$_"), ("$_[0].name", "$_[0].name"),
            ("a$_.index", "a3"), ("$p.index", "3"),
        ] {
            let command = try Lexer.commands(in: "inspect \(word)")[0]
            #expect(try variables.expand(command).words[1].text == expanded)
        }
    }

    @Test("A variable keeps the result of the latest line, whichever command ends first")
    func newest() async throws {
        let room = try shop.addRoom()
        let interpreter = shop.interpreter
        let job = shop.scene.display.jobs.begin(text: "room hold", link: "home")
        let older = try Lexer.commands(in: "let x = room hold")[0]
        let task = Task { _ = await interpreter.run(.command(older), as: job) }
        _ = try await shop.output("let x = items/42")
        room.release.settle(.success(()))
        await task.value
        shop.scene.display.jobs.end(job)

        #expect(room.lines.last == "hold ended")
        #expect(try await shop.json("items/$x.id") == #"{"id":42}"#)
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
                "'$lamp.rows' is not an object, so it has no member 'id'."
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

    @Test("A value is one word, whatever it has, and no option")
    func oneWord() throws {
        var variables = Variables()
        variables.set("x", to: Reply.Output(content: Content { Field("a", "--kind b; 'c") }))

        variables.set("y", to: Reply.Output(content: Content { Field("a", "-yes") }))

        let line = "create $x.a -$y.a --$y.a --name=$y.a"
        let command = try variables.expand(try Lexer.commands(in: line)[0])

        #expect(
            command.words.map(\.text) == ["create", "--kind b; 'c", "--yes", "---yes", "--name=-yes"])
        #expect(command.words.map(\.isOption) == [false, false, false, false, true])
    }

    @Test("A secret is told neither by an assignment nor by an error about a variable")
    func secrets() async throws {
        let assignment = try Lexer.commands(in: "let x = items sign-in ada hunter2")[0]
        #expect(
            shop.interpreter.declaredText(of: assignment, marksSecrets: false)
                == "let x = items sign-in ada")
        #expect(
            try await shop.run("let x = items sign-in ada hunter2").command
                == "let x = items sign-in ada --password …")

        let reply = try await shop.run("items sign-in ada hunt$er2")
        guard case .failed(let error) = reply.outcome else {
            Issue.record("The command has not failed")
            return
        }
        #expect(error.message == "A variable that the command refers to has no value.")
        #expect(!reply.command.contains("er2"))
    }

    @Test(
        "An assertion is about values, and leaves the last result",
        arguments: [
            ("$_.id == 42", true), ("$_.id == 42.0", true), ("$_.id != 42", false), ("$_.id < 100", true),
            ("$_.id >= 100", false), ("abc < abd", true), ("'a b' contains ' '", true),
            ("ab contains c", false),
            ("nan == nan", true), ("9007199254740993 == 9007199254740992", false),
            ("9007199254740993 > 9007199254740992", true), ("-9007199254740993 < -9007199254740991", true),
            ("9223372036854775807 < 9223372036854775808", true),
            ("-9223372036854775808 > -9223372036854775809", true),
            ("123456789012345678901234567890 == 123456789012345678901234567891", false),
            ("9007199254740993 == 9007199254740992.0", false), ("1 == 1.0", true), ("100 == 1e2", true),
            ("1e400 > 1e399", true), ("0.1 == 1e-1", true), ("0.1 == 0.10000000000000000001", false),
            ("-0 == 0", true), ("0 < -0.0", false), ("-1 < 0", true), ("-2 < -1.5", true),
            ("+7 == 007", true), ("9 < 10", true), ("10 < 9a", true),
            ("1e-2147483649 < 0.5", true), ("2 < 1e2147483648", true),
            ("1e2147483648 == 10e2147483647", true), ("0e99999999999999999999 == 0", true),
            ("2 < 1e99999999999999999999", true), ("-1e99999999999999999999 < 0.5", true),
            ("--1 == 1", false), ("1 != --1", true), ("-- 1 == 1", true),
        ])
    func assertions(_ expression: String, _ holds: Bool) async throws {
        _ = try await shop.output("items/42")
        for _ in 0..<2 {
            let error = try await shop.failure("assert \(expression)")
            #expect((error == nil) == holds)
            if !holds { #expect(error?.code == "assertionFailed") }
        }
    }

    @Test("A failed assertion tells both values; words that are no comparison are refused")
    func failedAssertions() async throws {
        _ = try await shop.output("items/42")
        #expect(
            try await shop.failure("assert $_.id == 3")?.message == "The assertion is false: '42' == '3'.")
        #expect(try await shop.failure("assert 1 = 1")?.code == .invalidArgument)
        #expect(try await shop.failure("assert 1 ==")?.code == .invalidArgument)
        let far = "assert 1e99999999999999999999 == 1e99999999999999999998"
        #expect(try await shop.failure(far)?.code == .invalidArgument)
    }

    @Test("What stands before a command is kept apart from it; an action of that name comes first")
    func prefixes() throws {
        func prefixed(_ line: String) throws -> PrefixedCommand? {
            shop.interpreter.prefixed(try Lexer.commands(in: line)[0])
        }
        #expect(
            try prefixed("repeat 3 items create a")?.command.words.map(\.text) == ["items", "create", "a"])
        #expect(try prefixed("time where")?.prefix.map(\.text) == ["time"])
        #expect(try prefixed("alias w 'items create'")?.command.words.map(\.text) == ["items", "create"])
        for line in [
            "repeat 0 where", "repeat x where", "repeat 3", "time", "time --help", "alias", "'time' where",
        ] {
            #expect(try prefixed(line) == nil, "\(line)")
        }
    }

    @Test("A secret behind 'repeat', 'time' or 'alias' is marked as one")
    func secretsBehindPrefixes() throws {
        let log = ArchiveLog()
        log.isMember = true
        try shop.addArchive(log)
        for prefix in ["repeat 2", "time", "alias u", "let x ="] {
            let command = try Lexer.commands(in: "\(prefix) archive unlock topaz")[0]
            #expect(shop.interpreter.text(of: command, nil) == "\(prefix) archive unlock --code …")
        }
    }
}
