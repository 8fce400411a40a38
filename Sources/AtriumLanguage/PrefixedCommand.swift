/// A command with a prefix: `let NAME =`, `repeat N`, `time` or `alias NAME`.
package struct PrefixedCommand {
    package enum Kind {
        /// Its result is kept in a variable.
        case assignment(String)
        case repetition(Int)
        case timing
        /// It is not run, but named.
        case alias(String)
    }

    package static let assignmentWord = "let"
    package static let repetitionWord = "repeat"
    package static let timingWord = "time"
    package static let aliasWord = "alias"

    package let kind: Kind
    package let command: Command
    package let prefix: [Word]

    /// - Returns: Nil for any other command.
    package init?(_ command: Command) {
        let words = command.words
        guard let first = words.first, !first.isQuoted else { return nil }
        let count: Int
        switch first.text {
        case Self.assignmentWord where words.count > 3 && words[2].text == "=" && Self.isName(words[1].text):
            kind = .assignment(words[1].text)
            count = 3
        case Self.repetitionWord where words.count > 2:
            guard let number = Int(words[1].text), Self.repetitions.contains(number) else { return nil }
            kind = .repetition(number)
            count = 2
        case Self.timingWord where words.count > 1 && !words[1].isOption:
            kind = .timing
            count = 1
        case Self.aliasWord where words.count > 2 && !words[1].isOption:
            kind = .alias(words[1].text)
            count = 2
        default: return nil
        }
        prefix = Array(words.prefix(count))
        var inner = command
        inner.words = Array(words.dropFirst(count))
        if case .alias = kind, inner.words.count == 1, inner.words[0].isQuoted,
            let quoted = try? Lexer.commands(in: inner.words[0].text), quoted.count == 1,
            quoted[0] == Command(words: quoted[0].words)
        {
            inner.words = quoted[0].words
        }
        self.command = inner
    }

    package static let repetitions = 1...1_000_000

    static func isName(_ word: String) -> Bool {
        guard let first = word.unicodeScalars.first, first.beginsName, word != Variables.last else {
            return false
        }
        return word.unicodeScalars.allSatisfy(\.continuesName)
    }

    /// The greatest number of prefixes of a command; each is taken off in turn.
    package static let maximumCount = 20

    /// True if a command has more prefixes than ``maximumCount``.
    package static func areTooMany(in words: [Word]) -> Bool {
        // Each has at least one word.
        words.count > maximumCount
            && Self.words(behind: words, atMost: maximumCount).count
                != Self.words(behind: words, atMost: maximumCount + 1).count
    }

    /// The words of the command being typed, without its prefixes, or without so many of them.
    package static func words(behind words: [Word], atMost maximum: Int = .max) -> ArraySlice<Word> {
        var rest = words[...]
        var number = 0
        while number < maximum, let first = rest.first?.text {
            let count =
                switch first {
                case assignmentWord: 3
                case repetitionWord, aliasWord: 2
                case timingWord: 1
                default: 0
                }
            guard count > 0, rest.count >= count else { break }
            rest = rest.dropFirst(count)
            number += 1
        }
        return rest
    }
}
