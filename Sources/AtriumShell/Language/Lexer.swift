/// Splits lines into commands, and commands into words.
///
/// Words are separated by blanks, commands by `;` and line ends. `'…'` keeps everything as it is, `"…"` and
/// a backslash outside quotes keep the next character; `#` at the start of a word begins a comment.
package enum Lexer {
    /// The commands of `text`.
    ///
    /// - Throws: ``SyntaxError`` where a quote is not closed or the text ends in a backslash.
    package static func commands(in text: String) throws(SyntaxError) -> [Command] {
        var scanner = Scanner(text)
        try scanner.scan()
        if let quote = scanner.openQuote { throw .unclosedQuote(Character(quote), in: text) }
        return scanner.commands.filter { !$0.words.isEmpty }
    }

    /// The words of a line that is still being typed: those of its last command up to the end, the last one
    /// possibly empty or inside an open quote.
    static func partialCommand(_ text: String) -> (words: [Word], openQuote: Character?) {
        var scanner = Scanner(text)
        try? scanner.scan()
        guard scanner.inComment == false else { return ([], nil) }
        var words = scanner.commands.last?.words ?? []
        if !scanner.endsInWord { words.append(Word(text: "", start: text.utf8.count)) }
        return (words, scanner.openQuote.map(Character.init))
    }
}

/// A command as it was typed, in words.
package struct Command: Hashable, Sendable {
    package var words: [Word]
}

/// A word, without its quotes.
package struct Word: Hashable, Sendable {
    package var text: String
    /// Where it starts in its line, in UTF-8 bytes.
    package let start: Int
    /// Whether it begins with a quote, so that it is a value even where it looks like an option.
    package var isQuoted = false
}

/// Reads scalars, not characters: to characters, a quote with a combining mark behind it is not a quote.
private struct Scanner {
    private(set) var commands: [Command] = [Command(words: [])]
    private(set) var openQuote: Unicode.Scalar?
    private(set) var inComment = false
    private(set) var endsInWord = false
    private let text: String
    private var word: Word?

    init(_ text: String) {
        self.text = text
    }

    mutating func scan() throws(SyntaxError) {
        let scalars = text.unicodeScalars
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            let start = text.utf8.distance(from: text.startIndex, to: index)
            index = scalars.index(after: index)
            if inComment {
                if scalar.isNewline { endComment() }
            } else if let quote = openQuote {
                if scalar == quote {
                    openQuote = nil
                } else if quote == "\"", scalar == "\\" {
                    guard index < scalars.endIndex else { break }
                    append(scalars[index], at: start)
                    index = scalars.index(after: index)
                } else {
                    append(scalar, at: start)
                }
            } else {
                switch scalar {
                case "'", "\"":
                    begin(at: start, isQuoted: true)
                    openQuote = scalar
                case "\\":
                    guard index < scalars.endIndex else { throw .trailingBackslash(in: text) }
                    append(scalars[index], at: start)
                    index = scalars.index(after: index)
                case ";": endCommand()
                case "#" where word == nil: inComment = true
                case _ where scalar.isNewline: endCommand()
                case _ where scalar.properties.isWhitespace: endWord()
                default: append(scalar, at: start)
                }
            }
        }
        endsInWord = word != nil
        endWord()
    }

    private mutating func begin(at start: Int, isQuoted: Bool = false) {
        if word == nil { word = Word(text: "", start: start, isQuoted: isQuoted) }
    }

    private mutating func append(_ scalar: Unicode.Scalar, at start: Int) {
        begin(at: start)
        word?.text.unicodeScalars.append(scalar)
    }

    private mutating func endWord() {
        if let word { commands[commands.count - 1].words.append(word) }
        word = nil
    }

    private mutating func endCommand() {
        endWord()
        commands.append(Command(words: []))
    }

    private mutating func endComment() {
        inComment = false
        endCommand()
    }
}

extension Unicode.Scalar {
    /// Whether a line ends here.
    ///
    /// The separators of other systems are text: what is pasted must not turn into commands.
    fileprivate var isNewline: Bool {
        switch value {
        case 0x0A, 0x0D: true
        default: false
        }
    }
}
