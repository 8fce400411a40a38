@_spi(Host) import AtriumKit
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumText

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

    /// A word quoted as a whole, and with each character before its `=` quoted or escaped.
    private static func quotedForms(of word: String) -> [String] {
        let name = word.prefix { $0 != "=" }
        return ["'\(word)'", "\"\(word)\"", "''\(word)"]
            + name.indices.flatMap { index in
                let (start, rest) = (word[..<index], word[word.index(after: index)...])
                return ["\(start)\\\(word[index])\(rest)", "\(start)'\(word[index])'\(rest)"]
            }
    }

    @Test("A quoted or escaped word is a value, whichever option it resembles")
    @MainActor
    func quotedOptions() throws {
        let shop = try TestHost()
        let actions = HostCommands(scene: shop.scene).all.map(\.action)
        #expect(actions.contains { $0.arguments.contains { $0.name == "plan" } })
        // The words after `swift` are code.
        for action in actions where action.name != SwiftCode.word {
            for name in action.arguments.map(\.name) + ["yes", "json", "columns", "help"] {
                for option in ["--\(name)", "--\(name)=yes"] {
                    for form in Self.quotedForms(of: option) {
                        var command = try Lexer.commands(in: "\(action.name) \(form)")[0]
                        let taken = try OutputOptions.take(from: &command) { _ in false }
                        let word = try #require(command.words.last)
                        let values = try? ArgumentReader.read([word], for: action)

                        #expect(word.text == option && !word.isOption, "\(form)")
                        #expect(taken == OutputOptions(), "\(form)")
                        let value = values?[name]
                        #expect(value == nil || value == option, "\(action.name) \(form)")
                    }
                }
            }
        }
    }

    @Test(
        "What is printed of a command is read as the same command",
        arguments: [
            #"create '--json'"#, #"create \--yes"#, #"create -'-yes'=no"#, #"create '-h'"#,
            #"create --name='a b' --kind="#, #"create --name=$x.a --"b"=$x"#, #"create "$x" $x c\ d"#,
        ])
    func printed(_ line: String) throws {
        let command = try Lexer.commands(in: line)[0]

        let again = try Lexer.commands(in: Redaction.plain(command))[0]

        #expect(again.words.map(\.text) == command.words.map(\.text))
        #expect(again.words.map(\.isOption) == command.words.map(\.isOption))
        #expect(again.words.map(\.references) == command.words.map(\.references))
    }
}
