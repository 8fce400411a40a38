/// What the parser says about text that isn't JSON.
extension JSONParser {
    /// An error at the next byte.
    func error(_ message: String) -> JSONSyntaxError {
        error(message, at: position)
    }

    /// An error at a place of the current line.
    func error(_ message: String, at position: SourcePosition) -> JSONSyntaxError {
        JSONSyntaxError(position: position, message: message)
    }

    /// An error that names what stands at the next byte and what may stand there.
    func unexpected(after separator: String? = nil, allowed: String) -> JSONSyntaxError {
        let after = separator.map { " after '\($0)'" } ?? ""
        return error("Found \(found)\(after); allowed: \(allowed).\(hint(after: separator))")
    }

    /// The next step, for the two habits that other languages allow.
    private func hint(after separator: String?) -> String {
        switch next {
        case UInt8(ascii: "/"): " JSON has no comments."
        case UInt8(ascii: "]") where separator == ",", UInt8(ascii: "}") where separator == ",":
            " Remove the comma."
        default: ""
        }
    }

    /// What stands at the next byte, in words.
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

    /// The letters and digits that start at a byte, `nil` where there are none.
    func word(at start: Int) -> String? {
        let word = bytes[start...].prefix(40).prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }

    /// The character that starts at a byte, `nil` where the bytes are no UTF-8 or none are left.
    func scalar(at start: Int, before end: Int) -> Unicode.Scalar? {
        var decoder = UTF8()
        var iterator = bytes[start..<min(start + 4, end)].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    /// A byte as two hexadecimal digits.
    func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
