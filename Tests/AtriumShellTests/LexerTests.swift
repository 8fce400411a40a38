import AtriumKit
import Testing

@testable import AtriumShell

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

    @Test("A word has its start as a byte offset, and knows whether it begins with a quote")
    func positions() throws {
        let words = try Lexer.commands(in: #"é 'b c'  x"y" \z; d"#).flatMap(\.words)

        #expect(
            words == [
                Word(text: "é", start: 0), Word(text: "b c", start: 3, isQuoted: true),
                Word(text: "xy", start: 10), Word(text: "z", start: 15), Word(text: "d", start: 19),
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

        #expect(open.words == [Word(text: "open", start: 3), Word(text: "my ro", start: 8, isQuoted: true)])
        #expect(open.openQuote == "'")
        #expect(next.words == [Word(text: "open", start: 0), Word(text: "", start: 5)])
        #expect(next.openQuote == nil)
        #expect(first.words == [Word(text: "", start: 3)])
        #expect(comment.words.isEmpty)
    }
}
