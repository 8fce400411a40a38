import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumText

@Suite("Lexer")
struct LexerTests {
    private func texts(_ line: String) throws -> [[String]] {
        try Lexer.commands(in: line).map { $0.words.map(\.text) }
    }

    @Test(
        "Words are separated by spaces and tabs; quotes and backslashes preserve characters",
        arguments: [
            ("a b\t c", ["a", "b", "c"]),
            ("a 'b  c' d", ["a", "b  c", "d"]),
            ("a \"b  'c' \" d", ["a", "b  'c' ", "d"]),
            (#"'a\b' "c\"d\\e\f" g\ h\'"#, [#"a\b"#, #"c"d\ef"#, "g h'"]),
            ("a'b'\"c\"d", ["abcd"]),
            ("'' \"\"", ["", ""]),
            ("--name='a b'", ["--name=a b"]),
            ("é 日本 😀", ["é", "日本", "😀"]),
            ("'a;b' 'c#d' 'e\nf'", ["a;b", "c#d", "e\nf"]),
        ])
    func words(_ line: String, _ words: [String]) throws {
        #expect(try texts(line) == [words])
    }

    @Test(
        "Commands are separated by semicolons and line ends; empty ones are omitted",
        arguments: [
            ("a; b c ;d", [["a"], ["b", "c"], ["d"]]),
            ("a\nb\r\nc\u{2028}d", [["a"], ["b"], ["c", "d"]]),
            (";;a;\n;", [["a"]]),
            ("", []),
            (" \t\n", []),
            ("a;''", [["a"], [""]]),
        ])
    func commands(_ line: String, _ commands: [[String]]) throws {
        #expect(try texts(line) == commands)
    }

    @Test(
        "A '#' at the start of a word begins a comment up to the end of the line",
        arguments: [
            ("a # b; c\nd", [["a"], ["d"]]),
            ("# a 'b", []),
            ("a#b c#", [["a#b", "c#"]]),
            ("a \\#b '#c'", [["a", "#b", "#c"]]),
            ("a;#b", [["a"]]),
        ])
    func comments(_ line: String, _ commands: [[String]]) throws {
        #expect(try texts(line) == commands)
    }

    @Test("A word has its start as a byte offset, and knows whether it is quoted")
    func positions() throws {
        let words = try Lexer.commands(in: #"é 'b c'  x"y" \z; d --e='f' -\-g=h"#).flatMap(\.words)

        #expect(
            words == [
                Word(text: "é", start: 0), Word(text: "b c", start: 3, isQuoted: true),
                Word(text: "xy", start: 10, isQuoted: true), Word(text: "z", start: 15, isQuoted: true),
                Word(text: "d", start: 19), Word(text: "--e=f", start: 21),
                Word(text: "--g=h", start: 29, isQuoted: true),
            ])
    }

    @Test(
        "An unclosed quote is an error",
        arguments: [("a 'b", "'"), ("a \"b", "\""), ("a \"b\\", "\""), ("'a\"", "'")])
    func unclosed(_ line: String, _ quote: String) {
        let error = #expect(throws: ShellError.self) { try Lexer.commands(in: line) }

        #expect(error?.code == "syntax")
        #expect(error?.message == "A quote \(quote) is opened, but not closed.")
        #expect(
            error?.hint == "Close it with \(quote), or write \\\(quote) where the character itself is meant.")
    }

    @Test("A backslash at the end of a line is an error")
    func trailingBackslash() {
        let error = #expect(throws: ShellError.self) { try Lexer.commands(in: "a b\\") }

        #expect(error?.message == "The line ends in a backslash, which needs a character after it.")
        #expect(error?.hint == "Write \\\\ where a backslash is meant.")
    }

    @Test("An incomplete line gives the words of its last command, of which the last may be empty or open")
    func partial() {
        let open = Lexer.partialCommand("a; open 'my ro")
        let next = Lexer.partialCommand("open ")
        let first = Lexer.partialCommand("a; ")
        let comment = Lexer.partialCommand("open # lin")
        let file = Lexer.partialCommand("modules > /tm")
        let noFile = Lexer.partialCommand("modules >> ")
        let program = Lexer.partialCommand("modules | gr")

        #expect(open.words == [Word(text: "open", start: 3), Word(text: "my ro", start: 8, isQuoted: true)])
        #expect(!open.isFile)
        #expect(next.words == [Word(text: "open", start: 0), Word(text: "", start: 5)])
        #expect(first.words == [Word(text: "", start: 3)])
        #expect(comment.words.isEmpty)
        #expect(file.words == [Word(text: "/tm", start: 10)] && file.isFile)
        #expect(noFile.words == [Word(text: "", start: 11)] && noFile.isFile)
        #expect(program.words.isEmpty && !program.isFile)
    }

    @Test("'>', '>>' and '|' say where a result goes; quoted, or inside of a word, they are text")
    func destinations() throws {
        func command(_ line: String) throws -> Command { try Lexer.commands(in: line)[0] }
        func file(_ line: String) throws -> [String] {
            guard case .file(let word, let appends) = try command(line).destination else { return [] }
            return [word.text, appends ? "appends" : "replaces"]
        }
        #expect(try file("a b > 'c d'") == ["c d", "replaces"])
        #expect(try file("a >>b; c") == ["b", "appends"])
        let program = try command("a | /bin/sort -k 'x;y' >z # all").destination
        #expect(program == .program("/bin/sort -k 'x;y' >z "))
        #expect(try command("a|b 'c > d' x>y \\> z").destination == nil)
        #expect(try command("assert 3 > 2").words.count == 4)
        #expect(try Lexer.commands(in: "a | b; c > d").map(\.words.count) == [1, 1])
        #expect(
            try command(#"a ">" '|' '&'"#).words.map(Quoting.quote).joined(separator: " ") == "a '>' '|' '&'")
    }

    @Test("'&' at the end of a command runs it in the background")
    func background() throws {
        let commands = try Lexer.commands(in: "a &; b & c&d '&'")

        #expect(commands.map(\.isInBackground) == [true, true, false])
        #expect(commands[2].words.map(\.text) == ["c&d", "&"])
        let written = try Lexer.commands(in: "a > f &; b >> g&")
        #expect(written.map(\.isInBackground) == [true, false])
        #expect(
            written.map(\.destination) == [
                .file(Word(text: "f", start: 4), appends: false),
                .file(Word(text: "g&", start: 14), appends: true),
            ])
    }

    @Test(
        "A file or program that is missing, or a word behind the file, is an error",
        arguments: [
            ("a >", "A file is missing behind '>'."), ("a >> ; b", "A file is missing behind '>>'."),
            ("a |  ", "A program is missing behind '|'."),
            ("a > b c", "'c' stands behind the file of the result."),
        ])
    func badDestinations(_ line: String, _ message: String) {
        let error = #expect(throws: ShellError.self) { try Lexer.commands(in: line) }

        #expect(error?.message == message)
        #expect(error?.code == "syntax")
    }

    @Test("A line goes on while a quote is open or behind a backslash")
    func continuation() throws {
        #expect(Lexer.continuation(of: "a 'b") == .quote("'"))
        #expect(Lexer.continuation(of: "c' d", behind: .quote("'")) == nil)
        #expect(Lexer.continuation(of: #"a "b' \""#) == .quote("\""))
        #expect(Lexer.continuation(of: "a \\") == .backslash)
        #expect(Lexer.continuation(of: "a # it's") == nil)
        #expect(try texts("a b\\\nc \"d\\\ne\"") == [["a", "bc", "de"]])
    }

    @Test("The lines of a script are joined with those in which they go on, up to the end")
    func joined() {
        func lines(_ script: String) -> [String] {
            InputLine.lines(of: Array(script.utf8)).map { (try? $0.get()) ?? "too long" }
        }
        #expect(lines("a\nb 'c\nd' e\nf \\\ng\n") == ["a", "b 'c\nd' e", "f \\\ng"])
        #expect(lines("a\nb 'c\nd") == ["a", "b 'c\nd"])
        let half = String(repeating: "x", count: LineSplitter.limit / 2)
        #expect(lines("'\(half)\n\(half)\nwhere") == ["too long"])
        #expect(lines("'\(half)\n\(half)\nwhere' x\nb") == ["too long", "b"])
        #expect(lines("a 'b\n\nc'\n\nd") == ["a 'b\n\nc'", "d"])
    }

    @Test(
        "What may be the rest of a quoted text never runs",
        arguments: [
            ("a '\u{FF}\nb\nc' d\ne", 2), ("a 'x\n\u{FF}\nb'\ne", 2), ("\u{FF} 'x\ne", 2),
            ("\u{FF} \\\ne", 2),
            ("LONG 'x\ne", 2), ("LONG 'x'\ne", 2), ("'x\nLONG\ne'\nf", 2),
        ])
    func lost(_ script: String, _ errors: Int) {
        let long = String(repeating: "x", count: LineSplitter.limit + 1)
        let bytes = Array(script.replacing("LONG", with: long).utf8).split(separator: 0xC3).joined(
            separator: [])
        let read = InputLine.lines(of: Array(bytes))

        #expect(read.count == errors)
        #expect(read.allSatisfy { (try? $0.get()) == nil })
    }
}
