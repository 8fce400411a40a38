/// Reads the parts of one JSON text (RFC 8259) in UTF-8.
struct JSONText {
    /// What is wrong, and at which byte.
    struct Mistake: Error {
        let index: Int
        let message: String
    }

    /// What a value is, by its first byte.
    enum Kind: String {
        case object = "an object"
        case array = "an array"
        case string = "a text"
        case number = "a number"
        case literal = "true or false"
        case null = "null"
    }

    /// The next byte to be read.
    private(set) var index = 0
    private let bytes: [UInt8]
    /// The most arrays and objects inside one another.
    private static let maximumDepth = 64

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    func mistake(_ message: String, at place: Int? = nil) -> Mistake {
        Mistake(index: place ?? index, message: message)
    }

    /// Reads an object; `member` reads each value, given the name.
    mutating func object(_ member: (inout JSONText, _ name: String, _ start: Int) throws -> Void) throws {
        try items(between: UInt8(ascii: "{"), and: UInt8(ascii: "}")) { text in
            let start = text.index
            guard text.current == UInt8(ascii: "\"") else {
                throw text.mistake("The name of a member, in quotes, is expected.")
            }
            let name = try text.string()
            try text.take(UInt8(ascii: ":"), "A colon must follow the name of a member.")
            text.skipSpace()
            try member(&text, name, start)
        }
    }

    /// What comes next, behind white space.
    mutating func kind() throws -> Kind {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .literal
        case UInt8(ascii: "n"): return .null
        default: throw mistake("A value is expected.")
        }
    }

    /// Passes over a value of any kind.
    mutating func skipValue(depth: Int = 0) throws {
        guard depth < Self.maximumDepth else { throw mistake("There are too many brackets inside brackets.") }
        switch try kind() {
        case .object: try object { text, _, _ in try text.skipValue(depth: depth + 1) }
        case .array:
            try items(between: UInt8(ascii: "["), and: UInt8(ascii: "]")) { text in
                try text.skipValue(depth: depth + 1)
            }
        case .string: _ = try string()
        case .number: try skipNumber()
        case .literal: try skipWord(current == UInt8(ascii: "t") ? "true" : "false")
        case .null: try skipWord("null")
        }
    }

    /// Checks that nothing but white space is left.
    mutating func end() throws {
        skipSpace()
        guard current == nil else { throw mistake("Nothing may follow the object on its line.") }
    }

    // MARK: - Parts

    private mutating func items(
        between open: UInt8, and close: UInt8, _ item: (inout JSONText) throws -> Void
    ) throws {
        try take(open, "An object is expected.")
        skipSpace()
        if current == close {
            index += 1
            return
        }
        while true {
            skipSpace()
            try item(&self)
            skipSpace()
            if current == close { break }
            try take(
                UInt8(ascii: ","), "A comma or '\(Character(Unicode.Scalar(close)))' is expected.")
        }
        index += 1
    }

    private mutating func take(_ byte: UInt8, _ message: String) throws {
        skipSpace()
        guard current == byte else { throw mistake(message) }
        index += 1
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    private mutating func skipWord(_ word: StaticString) throws {
        let start = index
        for place in 0..<word.utf8CodeUnitCount {
            guard current == word.utf8Start[place] else { throw mistake("A value is expected.", at: start) }
            index += 1
        }
    }

    private mutating func skipNumber() throws {
        if current == UInt8(ascii: "-") { index += 1 }
        if current == UInt8(ascii: "0") { index += 1 } else { try skipDigits() }
        if current == UInt8(ascii: ".") {
            index += 1
            try skipDigits()
        }
        guard current == UInt8(ascii: "e") || current == UInt8(ascii: "E") else { return }
        index += 1
        if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
        try skipDigits()
    }

    private mutating func skipDigits() throws {
        let start = index
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard index > start else { throw mistake("A digit is expected.") }
    }

    // MARK: - Strings

    /// Reads a string.
    mutating func string() throws -> String {
        let start = index
        index += 1
        let first = index
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            index += 1
        }
        var text = bytes[first..<index]
        while let byte = current, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw mistake("A control character must be escaped.") }
            if byte == UInt8(ascii: "\\") {
                try text.append(contentsOf: escape().utf8)
            } else {
                text.append(byte)
                index += 1
            }
        }
        guard current != nil else { throw mistake("The quote is never closed.", at: start) }
        index += 1
        guard let string = String(validating: text, as: UTF8.self) else {
            throw mistake("The text is not UTF-8.", at: start)
        }
        return string
    }

    private mutating func escape() throws -> String {
        let start = index
        index += 1
        guard let byte = current else { throw mistake("The quote is never closed.", at: start) }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return String(Unicode.Scalar(byte))
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape(from: start)
        default: throw mistake("There is no escape '\\\(Character(Unicode.Scalar(byte)))'.", at: start)
        }
    }

    private mutating func unicodeEscape(from start: Int) throws -> String {
        let unit = try codeUnit(from: start)
        if let scalar = Unicode.Scalar(unit) { return String(scalar) }
        guard UTF16.isLeadSurrogate(unit), current == UInt8(ascii: "\\"), index + 1 < bytes.count,
            bytes[index + 1] == UInt8(ascii: "u")
        else { throw mistake("Half of a surrogate pair stands alone.", at: start) }
        index += 2
        let trail = try codeUnit(from: start)
        guard UTF16.isTrailSurrogate(trail) else {
            throw mistake("Half of a surrogate pair stands alone.", at: start)
        }
        return String(decoding: [unit, trail], as: UTF16.self)
    }

    private mutating func codeUnit(from start: Int) throws -> UInt16 {
        guard index + 4 <= bytes.count,
            bytes[index..<index + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
        else { throw mistake("Four hexadecimal digits must follow '\\u'.", at: start) }
        index += 4
        return unit
    }
}
