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
        guard scanner.openQuote == nil else { throw .unclosedQuote(scanner.openQuote ?? "\"", in: text) }
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
        return (words, scanner.openQuote)
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
    /// Whether a part of it was quoted, so that it is a value even where it looks like an option.
    package var isQuoted = false
}

private struct Scanner {
    private(set) var commands: [Command] = [Command(words: [])]
    private(set) var openQuote: Character?
    private(set) var inComment = false
    private(set) var endsInWord = false
    private let text: String
    private var word: Word?

    init(_ text: String) {
        self.text = text
    }

    mutating func scan() throws(SyntaxError) {
        var index = text.startIndex
        while index < text.endIndex {
            let character = text[index]
            let start = text.utf8.distance(from: text.startIndex, to: index)
            index = text.index(after: index)
            if inComment {
                if character.isNewline { endComment() }
            } else if let quote = openQuote {
                if character == quote {
                    openQuote = nil
                } else if quote == "\"", character == "\\" {
                    guard index < text.endIndex else { break }
                    append(text[index], at: start)
                    index = text.index(after: index)
                } else {
                    append(character, at: start)
                }
            } else {
                switch character {
                case "'", "\"":
                    begin(at: start)
                    word?.isQuoted = true
                    openQuote = character
                case "\\":
                    guard index < text.endIndex else { throw .trailingBackslash(in: text) }
                    append(text[index], at: start)
                    index = text.index(after: index)
                case ";": endCommand()
                case "#" where word == nil: inComment = true
                case _ where character.isNewline: endCommand()
                case _ where character.isWhitespace: endWord()
                default: append(character, at: start)
                }
            }
        }
        endsInWord = word != nil
        endWord()
    }

    private mutating func begin(at start: Int) {
        if word == nil { word = Word(text: "", start: start) }
    }

    private mutating func append(_ character: Character, at start: Int) {
        begin(at: start)
        word?.text.append(character)
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
