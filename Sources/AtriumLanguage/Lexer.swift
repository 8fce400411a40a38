internal import AtriumKit
package import AtriumText

/// Splits lines into commands and commands into words.
///
/// Blanks separate words, `;` and line ends separate commands. `'…'` quotes everything; `"…"` and a backslash
/// quote the next character; `#` at the start of a word begins a comment. A word that begins with `>`, `>>`
/// or `|` redirects the command's result, and `&` at the end of a command runs it in the background.
package enum Lexer {
    /// - Throws: ``ShellError`` if a quote is not closed or the text ends in a backslash.
    package static func commands(in text: String) throws(ShellError) -> [Command] {
        var scanner = Scanner(text)
        try scanner.scan()
        if let quote = scanner.openQuote {
            throw ShellError(
                "syntax", "A quote \(quote) is opened, but not closed.",
                hint: "Close it with \(quote), or write \\\(quote) where the character itself is meant.")
        }
        if let sign = scanner.openCode?.open.last {
            throw ShellError("syntax", "A '\(sign)' is opened, but not closed.", hint: "swift (20 + 22) * 2")
        }
        if let problem = scanner.problem { throw problem }
        return scanner.commands.filter { !$0.words.isEmpty }
    }

    /// Why a line continues: a quote is open, or it ends in a backslash.
    package enum Continuation: Hashable {
        case quote(Unicode.Scalar)
        case backslash
        case code(SwiftCode)
    }

    /// Why a line continues, after a line that continues because of `former`; nil if it is complete.
    package static func continuation(of line: String, behind former: Continuation? = nil) -> Continuation? {
        // Quotes, a backslash, or a bracket or comment of Swift code.
        let mayGoOn = line.utf8.contains {
            switch $0 {
            case 0x22, 0x27, 0x5C, UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "*"):
                true
            default: false
            }
        }
        guard mayGoOn || former != nil else { return nil }
        var scanner = Scanner(line)
        switch former {
        case .quote(let quote): scanner.openQuote = quote
        case .code(let code): scanner.openCode = code
        case .backslash, nil: break
        }
        do throws(ShellError) {
            try scanner.scan()
        } catch {
            return .backslash
        }
        return scanner.openQuote.map { .quote($0) } ?? scanner.openCode.map { .code($0) }
    }

    /// The start of the Swift code, in UTF-8 bytes, with which an unfinished line ends; nil if it does not.
    package static func codeStart(in text: String) -> Int? {
        var scanner = Scanner(text)
        try? scanner.scan()
        return scanner.codeStart
    }

    /// The words of the last command of an unfinished line; the last one may be empty or in an open quote.
    ///
    /// After `>` the words are only the file, and `isFile` is true.
    package static func partialCommand(_ text: String) -> (words: [Word], isFile: Bool) {
        var scanner = Scanner(text)
        try? scanner.scan()
        guard scanner.inComment == false, !scanner.endsInProgram else { return ([], false) }
        let end = Word(text: "", start: text.utf8.count)
        if scanner.endsBeforeFile { return ([end], true) }
        if case .file(let file, _) = scanner.commands.last?.destination {
            return scanner.endsInWord ? ([file], true) : ([], false)
        }
        if let step = scanner.commands.last?.shapes.last {
            // Of a step only variables are completed.
            let variable = scanner.endsInWord ? step.last.flatMap { $0.text.hasPrefix("$") ? $0 : nil } : nil
            return (variable.map { [$0] } ?? [], false)
        }
        var words = scanner.commands.last?.words ?? []
        if !scanner.endsInWord { words.append(end) }
        return (words, false)
    }
}

package struct Command: Hashable, Sendable {
    package var words: [Word]
    /// The destination of its result, instead of the screen.
    package var destination: OutputRedirection?
    package var isInBackground = false
    /// The words of each ``TableShape`` that its result passes through, in order.
    package var shapes: [[Word]] = []

    package init(words: [Word]) { self.words = words }
}

/// `> FILE`, `>> FILE` or `| PROGRAM` after a command.
package enum OutputRedirection: Hashable, Sendable {
    case file(Word, appends: Bool)
    /// A line of the system's shell.
    case program(String)
    /// The program in which the front end shows results longer than its screen.
    case pager
}

package struct Word: Hashable, Sendable {
    package var text: String
    /// Its offset in the line, in UTF-8 bytes.
    package let start: Int
    /// True if it has a quote or a backslash before any `=`, which makes it a value, not an option.
    package var isQuoted = false
    /// The ranges in `text` that refer to variables, in UTF-8 bytes.
    package var references: [Range<Int>] = []

    /// The number of characters before Swift code in its line; 0 for other words.
    package var column = 0

    package init(text: String, start: Int, isQuoted: Bool = false, references: [Range<Int>] = []) {
        (self.text, self.start, self.isQuoted, self.references) = (text, start, isQuoted, references)
    }
}

/// Reads scalars: as characters, a quote with a combining mark would not be a quote.
private struct Scanner {
    private(set) var commands: [Command] = [Command(words: [])]
    var openQuote: Unicode.Scalar?
    /// The state of Swift code that goes on in the next line.
    var openCode: SwiftCode?
    /// The start of code that continues to the end of the text.
    private(set) var codeStart: Int?
    private(set) var inComment = false
    private(set) var endsInWord = false
    /// True if the text ends after `>`, or in a program.
    private(set) var endsBeforeFile = false
    private(set) var endsInProgram = false
    /// An error in the destination of a result.
    private(set) var problem: ShellError?
    private let text: String
    /// The index of the next scalar, and its offset in UTF-8 bytes.
    private var index: String.Index
    private var offset = 0
    private var word: Word?
    private var programStart: String.Index?
    /// True if the next word is the file after `>>`, false after `>`; nil for any other word.
    private var fileAppends: Bool?

    var inProgram: Bool { programStart != nil }

    init(_ text: String) {
        (self.text, index) = (text, text.startIndex)
    }

    mutating func scan() throws(ShellError) {
        if let code = openCode { readCode(after: code) }
        while let scalar = take() {
            let start = offset - UTF8.width(scalar)
            if inComment {
                if Self.isNewline(scalar) { endComment() }
            } else if scalar == "\\", openQuote != "'", next == "\n" {
                // A line continuation.
                _ = take()
            } else if let quote = openQuote {
                readQuoted(scalar, in: quote, at: start)
            } else {
                try read(scalar, at: start)
            }
        }
        endsInWord = word != nil
        endWord()
        (endsBeforeFile, endsInProgram) = (fileAppends != nil, inProgram)
        endDestination(at: text.utf8.count)
    }

    private mutating func readQuoted(_ scalar: Unicode.Scalar, in quote: Unicode.Scalar, at start: Int) {
        switch (quote, scalar) {
        case (_, quote): openQuote = nil
        case ("\"", "\\"): if let escaped = take() { append(escaped, at: start) }
        case ("\"", "$"): appendReference(at: start)
        default: append(scalar, at: start)
        }
    }

    private mutating func read(_ scalar: Unicode.Scalar, at start: Int) throws(ShellError) {
        switch scalar {
        case "'", "\"":
            quote(at: start)
            openQuote = scalar
        case "\\":
            guard let escaped = take() else {
                throw ShellError(
                    "syntax", "The line ends in a backslash, which needs a character after it.",
                    hint: "Write \\\\ where a backslash is meant.")
            }
            quote(at: start)
            append(escaped, at: start)
        case "$": appendReference(at: start)
        case ";": endCommand(at: start)
        case "#" where word == nil:
            endCommand(at: start)
            inComment = true
        case _ where Self.isNewline(scalar): endCommand(at: start)
        case "|" where word == nil && canRedirect:
            if TableShape.begins(text[index...]) {
                commands[commands.count - 1].shapes.append([])
            } else {
                programStart = index
            }
        case "|" where beginsCommand, ">" where beginsCommand:
            problem =
                problem
                ?? ShellError("syntax", "A command is missing before '\(scalar)'.", hint: "entities | less")
            append(scalar, at: start)
        case ">" where word == nil && canRedirect && !TableShape.compares(commands.last?.shapes.last):
            fileAppends = next == ">"
            if next == ">" { _ = take() }
        case "&"
        where word == nil && (canRedirect || hasFile) && Self.endsWord(text.unicodeScalars[index...]):
            commands[commands.count - 1].isInBackground = true
            endCommand(at: start)
        case _ where Self.isBlank(scalar):
            endWord()
            if beginsCode { readCode(after: SwiftCode()) }
        default: append(scalar, at: start)
        }
    }

    private var next: Unicode.Scalar? { index < text.endIndex ? text.unicodeScalars[index] : nil }

    private mutating func take() -> Unicode.Scalar? {
        guard let scalar = next else { return nil }
        text.unicodeScalars.formIndex(after: &index)
        offset += UTF8.width(scalar)
        return scalar
    }

    /// True if `>`, `|` and `&` are operators: after commands other than assertions, which compare with `>`.
    private var canRedirect: Bool {
        guard let command = commands.last, let first = command.words.first, !inProgram, fileAppends == nil,
            command.destination == nil
        else { return false }
        return first.isQuoted || first.text != Assertion.word
    }

    /// True after the word `swift`, if what follows is no option and not in quotes.
    private var beginsCode: Bool {
        guard let command = commands.last, let last = command.words.last, last.text == SwiftCode.word,
            !last.isQuoted, !inProgram, fileAppends == nil, command.destination == nil,
            PrefixedCommand.words(behind: command.words).count == 1
        else { return false }
        let rest = text[index...].drop { $0.isWhitespace && !$0.isNewline }
        // `#` begins a comment, but not before a quote.
        let isComment = rest.first == "#" && rest.first { $0 != "#" } != "\""
        return rest.first.map { !$0.isNewline && $0 != "'" && $0 != ";" } == true && !isComment
            && !rest.hasPrefix("--")
    }

    /// Reads code as it is, up to a `;` or the end of the line outside of its brackets and texts.
    private mutating func readCode(after state: SwiftCode) {
        var code = state
        let rest = text[index...]
        let begin = rest.firstIndex { !$0.isWhitespace } ?? rest.endIndex
        let end = code.end(in: rest.unicodeScalars)
        let start = offset + text.utf8.distance(from: index, to: begin)
        let column = text[..<begin].reversed().prefix { !$0.isNewline }.count
        offset += text.utf8.distance(from: index, to: end)
        index = end
        openCode = code.open.isEmpty ? nil : code
        codeStart = end == text.endIndex ? start : nil
        let typed = text[min(begin, end)..<end]
        word = Word(
            text: String(typed.reversed().drop(while: \.isWhitespace).reversed()), start: start,
            isQuoted: true)
        word?.column = column
        endWord()
    }

    private var hasFile: Bool {
        if case .file? = commands.last?.destination { true } else { false }
    }

    private var beginsCommand: Bool {
        word == nil && !inProgram && fileAppends == nil && commands.last?.words.isEmpty == true
    }

    private static func endsWord(_ rest: Substring.UnicodeScalarView) -> Bool {
        rest.first.map { isBlank($0) || $0 == ";" } ?? true
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? scalar == " " || (9...13).contains(scalar.value) : scalar.properties.isWhitespace
    }

    /// Other separators are text, so that pasted text can't turn into commands.
    private static func isNewline(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\r" }

    private mutating func begin(at start: Int) {
        if word == nil { word = Word(text: "", start: start) }
    }

    /// Notes a quote or a backslash, which in the value of `--name='a b'` leaves the word an option.
    private mutating func quote(at start: Int) {
        begin(at: start)
        if word?.text.utf8.contains(UInt8(ascii: "=")) == false { word?.isQuoted = true }
    }

    private mutating func append(_ scalar: Unicode.Scalar, at start: Int) {
        begin(at: start)
        word?.text.unicodeScalars.append(scalar)
    }

    /// Appends a `$` with the name and path after it.
    private mutating func appendReference(at start: Int) {
        append("$", at: start)
        let rest = text.unicodeScalars[index...]
        guard rest.first?.beginsName == true else { return }
        index = Self.endOfReference(rest)
        offset += text.utf8.distance(from: rest.startIndex, to: index)
        let beginning = (word?.text.utf8.count ?? 1) - 1
        for scalar in rest[..<index] { append(scalar, at: start) }
        let length = word?.text.utf8.count ?? beginning
        word?.references.append(beginning..<length)
    }

    private static func endOfReference(_ text: Substring.UnicodeScalarView) -> String.Index {
        var rest = text.drop(while: \.continuesName)
        while let mark = rest.first {
            let part = rest.dropFirst()
            if mark == ".", part.first?.beginsName == true {
                rest = part.drop(while: \.continuesName)
            } else if mark == "[", let close = part.firstIndex(of: "]"), close > part.startIndex,
                part[..<close].allSatisfy({ ("0"..."9").contains($0) })
            {
                rest = part[close...].dropFirst()
            } else {
                break
            }
        }
        return rest.startIndex
    }

    private mutating func endWord() {
        defer { word = nil }
        guard let word, !inProgram else { return }
        if let appends = fileAppends {
            commands[commands.count - 1].destination = .file(word, appends: appends)
            fileAppends = nil
        } else if commands.last?.destination != nil {
            problem =
                problem
                ?? ShellError(
                    "syntax", "'\(word.text.shortened)' stands behind the file of the result.",
                    hint: "The file ends the command: COMMAND > FILE")
        } else if let step = commands.last?.shapes.indices.last {
            commands[commands.count - 1].shapes[step].append(word)
        } else {
            commands[commands.count - 1].words.append(word)
        }
    }

    private mutating func endCommand(at end: Int) {
        endWord()
        endDestination(at: end)
        commands.append(Command(words: []))
    }

    /// Ends a program at an offset, or reports a `>` without a file.
    private mutating func endDestination(at end: Int) {
        if let start = programStart {
            let end = text.utf8.index(text.startIndex, offsetBy: end)
            let program = text[start..<end].drop(while: \.isWhitespace)
            commands[commands.count - 1].destination = .program(String(program))
            if program.allSatisfy(\.isWhitespace) {
                problem = problem ?? Self.missing("|", "a program", "entities | less")
            }
        }
        if let appends = fileAppends {
            problem = problem ?? Self.missing(appends ? ">>" : ">", "a file", "entities > list.txt")
        }
        programStart = nil
        fileAppends = nil
    }

    private static func missing(_ sign: String, _ what: String, _ hint: String) -> ShellError {
        ShellError(
            "syntax", "\(what.prefix(1).uppercased() + what.dropFirst()) is missing behind '\(sign)'.",
            hint: hint)
    }

    private mutating func endComment() {
        inComment = false
        commands.append(Command(words: []))
    }
}

package enum Quoting {
    package static func quote(_ word: String) -> String {
        // Fast path: most words are names.
        if !word.isEmpty, word.utf8.allSatisfy(isOfName) { return word }
        let scalars = word.unicodeScalars
        let isPlain =
            !word.isEmpty && !"#>|&".unicodeScalars.contains(scalars.first ?? " ")
            && !scalars.contains { $0.properties.isWhitespace || isSpecial($0) }
        return isPlain ? word : inQuotes(word)
    }

    /// Also quotes words that only quotes make a value, and keeps options and references to variables.
    static func quote(_ word: Word) -> String {
        if word.isOption, let equals = word.text.utf8.firstIndex(of: UInt8(ascii: "=")) {
            let start = word.text.utf8.index(after: equals)
            let offset = word.text.utf8.distance(from: word.text.startIndex, to: start)
            let value = Word(
                text: String(word.text[start...]), start: word.start + offset,
                references: word.references.map { $0.lowerBound - offset..<$0.upperBound - offset })
            return word.text[..<start] + (value.text.isEmpty ? "" : quoteValue(value))
        }
        return quoteValue(word)
    }

    /// The value of an option is no option, even if it looks like one.
    private static func quoteValue(_ word: Word) -> String {
        guard word.references.isEmpty else { return inDoubleQuotes(word.text, references: word.references) }
        let mayBeOption = word.text.hasPrefix("--") || word.text == "-h"
        return word.isQuoted && mayBeOption ? inQuotes(word.text) : quote(word.text)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "'", "\"", "\\", ";", "$": true
        default: false
        }
    }

    private static func inQuotes(_ word: String) -> String {
        guard word.unicodeScalars.contains("'") else { return "'\(word)'" }
        return inDoubleQuotes(word)
    }

    private static func inDoubleQuotes(_ word: String, references: [Range<Int>] = []) -> String {
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        var offset = 0
        for scalar in word.unicodeScalars {
            let isLive = references.contains { $0.contains(offset) }
            if !isLive, "\"\\$".unicodeScalars.contains(scalar) { quoted.append("\\") }
            quoted.append(scalar)
            offset += UTF8.width(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
