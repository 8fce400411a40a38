import TestSupport
import Testing

@testable import AtriumLanguage
@testable import AtriumShell

@Suite("Quoting")
struct QuotingTests {
    @Test(
        "A word is quoted only if necessary",
        arguments: [
            ("lamp", "lamp"), ("a#b", "a#b"), ("--name=x", "--name=x"), ("日本", "日本"), ("", "''"),
            ("a b", "'a b'"),
            ("#a", "'#a'"), ("a;b", "'a;b'"), ("it's", #""it's""#), (#"it's "a\b""#, #""it's \"a\\b\"""#),
            (#"a"b"#, #"'a"b'"#), (#"a\b"#, #"'a\b'"#), ("a\nb", "'a\nb'"),
        ])
    func quoting(_ word: String, _ quoted: String) {
        #expect(Quoting.quote(word) == quoted)
    }

    @Test("Any words that are quoted in one line are read back unchanged", arguments: 0..<6)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let words = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                generator.word(length: 0...6)
            }

            let line = words.map(Quoting.quote).joined(separator: " ")

            let read = try? Lexer.commands(in: line).map { $0.words.map(\.text) }
            try #require(read == [words], "\(words.map { $0.unicodeScalars.map(\.value) })")
        }
    }

    @Test("The words of any readable text can be quoted and read back", arguments: 0..<4)
    func anyText(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let text = generator.word(length: 0...12)
            guard let commands = try? Lexer.commands(in: text) else { continue }
            let again = commands.map { $0.words.map { Quoting.quote($0.text) }.joined(separator: " ") }
            let read = try Lexer.commands(in: again.joined(separator: "; "))
            try #require(read.map { $0.words.map(\.text) } == commands.map { $0.words.map(\.text) })
        }
    }
}
