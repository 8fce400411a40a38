/// Reads JSON from UTF-8 bytes by recursive descent, in one pass.
///
/// Line breaks occur only between tokens (in strings they are errors), so lines are counted there and a
/// position costs one subtraction.
struct JSONParser {
    /// The deepest nesting of arrays and objects; keeps hostile input from exhausting the stack.
    static let depthLimit = 64

    let bytes: [UInt8]
    var offset = 0
    private var line = 1
    private var lineStart = 0
    private var depth = 0
    /// True if values that JSON can express and Swift can't hold are replaced; ``refused`` keeps the first.
    private let replacesValues: Bool
    private(set) var refused: JSONSyntaxError?

    init(_ bytes: [UInt8], replacesValues: Bool = false) {
        self.bytes = bytes
        self.replacesValues = replacesValues
    }

    /// Throws an error about a value, or keeps the error and returns the replacement.
    mutating func refuse<Value>(
        _ error: JSONSyntaxError, for replacement: Value
    ) throws(JSONSyntaxError) -> Value {
        guard replacesValues else { throw error }
        refused = refused ?? error
        return replacement
    }

    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    var position: SourcePosition { position(at: offset) }

    /// The position of a byte on the current line.
    func position(at offset: Int) -> SourcePosition {
        SourcePosition(line: line, column: offset - lineStart + 1)
    }

    mutating func parseDocument() throws(JSONSyntaxError) -> LocatedJSON {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw error("Found a byte order mark; save the file as UTF-8 without one.")
        }
        skipSpace()
        let value = try parseValue(after: nil)
        skipSpace()
        if next != nil { throw unexpected(allowed: "nothing more") }
        return value
    }

    private mutating func skipSpace() {
        while let byte = next {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                offset += 1
            case UInt8(ascii: "\n"):
                offset += 1
                line += 1
                lineStart = offset
            default:
                return
            }
        }
    }

    private mutating func parseValue(after separator: String?) throws(JSONSyntaxError) -> LocatedJSON {
        let start = position
        switch next {
        case UInt8(ascii: "\""):
            return LocatedJSON(.string(try parseString()), at: start)
        case UInt8(ascii: "{"):
            var keys = FirstOccurrences<String>()
            let members = try parseList(to: "}") { parser, isFirst throws(JSONSyntaxError) in
                try parser.parseMember(isFirst: isFirst, keys: &keys)
            }
            return LocatedJSON(
                .object(members.map { ManifestValue.Member(key: $0.key, value: $0.value.plain) }), at: start,
                members: members)
        case UInt8(ascii: "["):
            let items = try parseList(to: "]") { parser, isFirst throws(JSONSyntaxError) in
                try parser.parseValue(after: isFirst ? nil : ",")
            }
            return LocatedJSON(.array(items.map(\.plain)), at: start, items: items)
        case let byte? where byte.isDigit || byte == UInt8(ascii: "-"):
            return LocatedJSON(try parseNumber(), at: start)
        default:
            guard let word = word(at: offset), let literal = Self.literal(word) else {
                throw unexpected(
                    after: separator, allowed: "a string, a number, true, false, null, '[' or '{'")
            }
            offset += word.utf8.count
            return LocatedJSON(literal, at: start)
        }
    }

    private static func literal(_ word: String?) -> ManifestValue? {
        switch word {
        case "true": .bool(true)
        case "false": .bool(false)
        case "null": .null
        default: nil
        }
    }

    /// Reads the elements between brackets, separated by commas.
    private mutating func parseList<Element>(
        to end: Unicode.Scalar,
        _ parse: (inout JSONParser, _ isFirst: Bool) throws(JSONSyntaxError) -> Element
    ) throws(JSONSyntaxError) -> [Element] {
        guard depth < Self.depthLimit else {
            throw error("Arrays and objects nest deeper than \(Self.depthLimit) levels.")
        }
        depth += 1
        offset += 1
        defer { depth -= 1 }
        var elements: [Element] = []
        skipSpace()
        while !take(end) {
            if !elements.isEmpty {
                guard take(",") else { throw unexpected(allowed: "',' or '\(end)'") }
                skipSpace()
            }
            elements.append(try parse(&self, elements.isEmpty))
            skipSpace()
        }
        return elements
    }

    private mutating func parseMember(
        isFirst: Bool, keys: inout FirstOccurrences<String>
    ) throws(JSONSyntaxError) -> LocatedJSON.Member {
        guard next == UInt8(ascii: "\"") else {
            throw unexpected(
                after: isFirst ? nil : ",", allowed: isFirst ? "a key in quotes or '}'" : "a key in quotes")
        }
        let keyPosition = position
        let key = try parseString()
        if let first = keys.insert(key, at: keyPosition) {
            throw error(
                "Key \(Wording.quoted(key)) appears twice; the first is on line \(first.line).",
                at: keyPosition)
        }
        skipSpace()
        guard take(":") else { throw unexpected(allowed: "':'") }
        skipSpace()
        return LocatedJSON.Member(
            key: key, keyPosition: keyPosition, value: try parseValue(after: ":"))
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }
}

extension JSONParser {
    /// An error at the next byte, or elsewhere on the current line.
    func error(_ message: String, at position: SourcePosition? = nil) -> JSONSyntaxError {
        JSONSyntaxError(position: position ?? self.position, message: message)
    }

    /// An error that names the next character and those allowed there.
    func unexpected(after separator: String? = nil, allowed: String) -> JSONSyntaxError {
        let after = separator.map { " after '\($0)'" } ?? ""
        return error("Found \(found)\(after); allowed: \(allowed).\(hint(after: separator))")
    }

    /// A hint for two habits that other languages allow.
    private func hint(after separator: String?) -> String {
        switch next {
        case UInt8(ascii: "/"): " JSON has no comments."
        case UInt8(ascii: "]") where separator == ",", UInt8(ascii: "}") where separator == ",":
            " Remove the comma."
        default: ""
        }
    }

    var found: String {
        guard let byte = next else { return "the end of the file" }
        if let word = word(at: offset) { return Wording.quoted(word) }
        switch byte {
        case UInt8(ascii: "\""): return "a string"
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return "a line break"
        default:
            guard let scalar = scalar(at: offset, before: bytes.count) else {
                return "byte 0x\(hexadecimal(byte))"
            }
            return Wording.quoted(String(scalar))
        }
    }

    /// The letters and digits that start at a byte, `nil` if there are none.
    func word(at start: Int) -> String? {
        let word = bytes[start...].prefix(40).prefix(while: \.isWordCharacter)
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }

    /// The character that starts at a byte, `nil` if the bytes are not UTF-8 or none are left.
    func scalar(at start: Int, before end: Int) -> Unicode.Scalar? {
        var decoder = UTF8()
        var iterator = bytes[start..<min(start + 4, end)].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
