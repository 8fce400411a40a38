/// Splits Swift source into tokens.
struct Lexer {
    private let bytes: [UInt8]
    private(set) var tokens: [Token] = []
    private var index = 0
    private var line = 1
    private var lineStart = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func run() {
        scan(insideInterpolation: false)
    }

    /// Scans to the end, or up to the bracket that closes an interpolation.
    private mutating func scan(insideInterpolation: Bool) {
        var depth = 0
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\n"): newLine()
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): index += 1
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): skipBlockComment()
            case UInt8(ascii: "/") where startsRegularExpression: scanRegularExpression()
            case UInt8(ascii: "\""): scanString(pounds: 0)
            case UInt8(ascii: "#"): scanPound()
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                add(.open, length: 1)
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                if insideInterpolation, depth == 0 { return }
                depth -= 1
                add(.close, length: 1)
            case _ where Self.isWord(byte) || byte == UInt8(ascii: "`") || byte == UInt8(ascii: "$"):
                scanWord()
            case _ where Self.operators.contains(byte): scanOperator()
            default: add(.symbol, length: 1)
            }
        }
    }

    private static let operators = Set("+-*/%<>=!&|^~?.".utf8)

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || isDigit(byte)
            || (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private func peek(_ offset: Int = 0) -> UInt8? {
        index + offset < bytes.count ? bytes[index + offset] : nil
    }

    private mutating func newLine() {
        index += 1
        line += 1
        lineStart = index
    }

    private mutating func add(_ kind: Token.Kind, length: Int) {
        let text = String(decoding: bytes[index..<(index + length)], as: UTF8.self)
        tokens.append(Token(kind: kind, text: text, line: line, column: index - lineStart + 1))
        index += length
    }

    private mutating func skipLine() {
        while let byte = peek(), byte != UInt8(ascii: "\n") { index += 1 }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        while let byte = peek() {
            if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                index += 2
            } else if byte == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                index += 2
                if depth == 0 { return }
            } else if byte == UInt8(ascii: "\n") {
                newLine()
            } else {
                index += 1
            }
        }
    }

    private mutating func scanWord() {
        var length = 1
        let isNumber = Self.isDigit(bytes[index])
        while let byte = peek(length) {
            let isPoint =
                isNumber && byte == UInt8(ascii: ".") && peek(length + 1).map(Self.isDigit) == true
                && tokens.last?.text != "."
            guard Self.isWord(byte) || byte == UInt8(ascii: "`") || isPoint else { break }
            length += 1
        }
        add(isNumber ? .number : .word, length: length)
    }

    private mutating func scanOperator() {
        // The dot of a member access is a separate token; so is an optional's mark before it.
        let first = bytes[index]
        var length = 1
        if first == UInt8(ascii: ".") {
            while peek(length) == UInt8(ascii: ".") || (length >= 2 && peek(length) == UInt8(ascii: "<")) {
                length += 1
            }
        } else if first != UInt8(ascii: "?") || peek(1) == UInt8(ascii: "?") {
            while let byte = peek(length), Self.operators.contains(byte), byte != UInt8(ascii: ".") {
                if byte == UInt8(ascii: "/"),
                    peek(length + 1) == UInt8(ascii: "/") || peek(length + 1) == UInt8(ascii: "*")
                {
                    break
                }
                length += 1
            }
        }
        add(.symbol, length: length)
    }

    // MARK: - Strings

    private mutating func scanPound() {
        var pounds = 0
        while peek(pounds) == UInt8(ascii: "#") { pounds += 1 }
        if peek(pounds) == UInt8(ascii: "\"") {
            index += pounds
            scanString(pounds: pounds)
        } else if peek(pounds) == UInt8(ascii: "/") {
            skipExtendedExpression(pounds: pounds)
        } else {
            add(.symbol, length: 1)
        }
    }

    private mutating func scanString(pounds: Int) {
        let quotes = peek(1) == UInt8(ascii: "\"") && peek(2) == UInt8(ascii: "\"") ? 3 : 1
        var start = (line: line, column: index - lineStart + 1)
        index += quotes
        var text: [UInt8] = []
        func token() -> Token {
            Token(
                kind: .string, text: String(decoding: text, as: UTF8.self), line: start.line,
                column: start.column)
        }
        while let byte = peek() {
            if byte == UInt8(ascii: "\""), isEnd(quotes, pounds) {
                tokens.append(token())
                index += quotes + pounds
                return
            }
            if byte == UInt8(ascii: "\\"), isEscape(pounds) {
                index += 1 + pounds
                if peek() == UInt8(ascii: "(") {
                    tokens.append(token())
                    tokens.append(Token(kind: .open, text: "\\(", line: line, column: index - lineStart + 1))
                    index += 1
                    scan(insideInterpolation: true)
                    if peek() != nil { add(.close, length: 1) }
                    text = []
                    start = (line, index - lineStart + 1)
                    continue
                }
            } else if byte == UInt8(ascii: "\n"), quotes == 1 {
                // An unterminated string, which the compiler has reported.
                return
            }
            if let byte = peek() {
                text.append(byte)
                if byte == UInt8(ascii: "\n") { newLine() } else { index += 1 }
            }
        }
    }

    private func isEnd(_ quotes: Int, _ pounds: Int) -> Bool {
        (0..<quotes).allSatisfy { peek($0) == UInt8(ascii: "\"") }
            && (0..<pounds).allSatisfy { peek(quotes + $0) == UInt8(ascii: "#") }
    }

    private func isEscape(_ pounds: Int) -> Bool {
        (0..<pounds).allSatisfy { peek(1 + $0) == UInt8(ascii: "#") }
    }

    // MARK: - Regular expressions

    /// A slash where an operand is expected, with another one later in the line.
    private var startsRegularExpression: Bool {
        guard peek(1) != UInt8(ascii: " "), peek(1) != nil else { return false }
        if let last = tokens.last {
            let isBehindOperand =
                [.number, .string, .close].contains(last.kind)
                || last.kind == .word
                    && !["return", "in", "case", "try", "await", "where", "else"].contains(last.text)
            if isBehindOperand { return false }
        }
        var offset = 1
        while let byte = peek(offset), byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "/") { return true }
            offset += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return false
    }

    private mutating func scanRegularExpression() {
        var length = 1
        while let byte = peek(length), byte != UInt8(ascii: "/") {
            length += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        addExpression(end: index + length + 1)
    }

    private mutating func skipExtendedExpression(pounds: Int) {
        let end = [UInt8(ascii: "/")] + Array(repeating: UInt8(ascii: "#"), count: pounds)
        var position = index + pounds + 1
        while position < bytes.count, !bytes[position...].starts(with: end) { position += 1 }
        addExpression(end: position + end.count)
    }

    private mutating func addExpression(end: Int) {
        let column = index - lineStart + 1
        tokens.append(Token(kind: .string, text: "", line: line, column: column))
        while index < min(end, bytes.count) {
            if bytes[index] == UInt8(ascii: "\n") { newLine() } else { index += 1 }
        }
    }
}
