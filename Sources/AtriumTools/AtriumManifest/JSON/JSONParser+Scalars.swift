extension JSONParser {
    /// Reads a string from its opening quote, in pieces between escapes.
    mutating func parseString() throws(JSONSyntaxError) -> String {
        let opening = offset
        offset += 1
        var result = ""
        var start = offset
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                let piece = try text(in: start..<offset)
                offset += 1
                return result.isEmpty ? piece : result + piece
            case UInt8(ascii: "\\"):
                result += try text(in: start..<offset)
                result.unicodeScalars.append(try parseEscape())
                start = offset
            case 0..<0x20:
                throw controlCharacter(byte)
            default:
                offset += 1
            }
        }
        throw unclosed(opening)
    }

    /// The bytes of a range as text; escape sequences are ASCII, so a range never cuts a character.
    private func text(in range: Range<Int>) throws(JSONSyntaxError) -> String {
        // Validation is unspecialized code of the standard library; plain ASCII can skip it.
        if bytes[range].allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes[range], as: UTF8.self) }
        if let text = String(validating: bytes[range], as: UTF8.self) { return text }
        let invalid = firstInvalidByte(in: range)
        throw error(
            "Byte 0x\(hexadecimal(bytes[invalid])) is not valid UTF-8 here.", at: position(at: invalid))
    }

    private func firstInvalidByte(in range: Range<Int>) -> Int {
        var offset = range.lowerBound
        while let scalar = scalar(at: offset, before: range.upperBound) {
            offset += UTF8.width(scalar)
        }
        return offset
    }

    private mutating func parseEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
        let backslash = offset
        guard offset + 1 < bytes.count else { throw unclosed(backslash) }
        let letter = Unicode.Scalar(bytes[offset + 1])
        if letter == "u" {
            offset += 2
            return try parseUnicodeEscape(backslash)
        }
        guard let scalar = Self.escapes.first(where: { $0.letter == letter })?.scalar else {
            offset += 1
            throw error(
                #"Found \#(found) after '\'; allowed: '"', '\', '/', 'b', 'f', 'n', 'r', 't' or 'u'."#,
                at: position(at: backslash))
        }
        offset += 2
        return scalar
    }

    private static let escapes: [(letter: Unicode.Scalar, scalar: Unicode.Scalar)] = [
        ("\"", "\""), ("\\", "\\"), ("/", "/"), ("b", "\u{08}"), ("f", "\u{0C}"), ("n", "\n"),
        ("r", "\r"), ("t", "\t"),
    ]

    private mutating func parseUnicodeEscape(_ backslash: Int) throws(JSONSyntaxError) -> Unicode.Scalar {
        let first = try parseFourDigits(backslash)
        if let scalar = Unicode.Scalar(first) { return scalar }
        let second = offset
        guard first < 0xDC00, bytes.dropFirst(second).starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")])
        else {
            return try refuse(halfPair(backslash), for: "\u{FFFD}")
        }
        offset += 2
        let low = try parseFourDigits(second)
        guard (0xDC00...0xDFFF).contains(low) else { return try refuse(halfPair(backslash), for: "\u{FFFD}") }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func parseFourDigits(_ backslash: Int) throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error(#"'\u' needs four hexadecimal digits."#, at: position(at: backslash))
            }
            value = value << 4 + UInt32(digit)
            offset += 1
        }
        return value
    }

    private func halfPair(_ backslash: Int) -> JSONSyntaxError {
        error(
            #"Half of a surrogate pair; a character beyond U+FFFF needs two escapes, such as \uD83D\uDE00."#,
            at: position(at: backslash))
    }

    private func unclosed(_ opening: Int) -> JSONSyntaxError {
        error("The string is not closed; allowed: '\"' at its end.", at: position(at: opening))
    }

    private func controlCharacter(_ byte: UInt8) -> JSONSyntaxError {
        if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
            return error(#"Found a line break in a string; close the string with '"', or write \n."#)
        }
        let digits = hexadecimal(byte)
        return error(#"Found the control character 0x\#(digits) in a string; write \u00\#(digits)."#)
    }
}

extension JSONParser {
    /// Reads a number: an optional minus, digits without leading zeros, a fraction, an exponent.
    mutating func parseNumber() throws(JSONSyntaxError) -> ManifestValue {
        let start = offset
        if next == UInt8(ascii: "-") { offset += 1 }
        let wholeStart = offset
        try parseDigits(after: "'-'")
        if bytes[wholeStart] == UInt8(ascii: "0"), offset - wholeStart > 1 {
            throw error("A number has no leading zeros.", at: position(at: start))
        }
        var isWhole = true
        if next == UInt8(ascii: ".") {
            isWhole = false
            offset += 1
            try parseDigits(after: "'.'")
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isWhole = false
            offset += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
            try parseDigits(after: "the exponent's 'e'")
        }
        return try number(in: start..<offset, isWhole: isWhole)
    }

    private mutating func parseDigits(after what: String) throws(JSONSyntaxError) {
        let start = offset
        while next?.isDigit == true { offset += 1 }
        if offset == start { throw error("Found \(found) after \(what); allowed: a digit.") }
    }

    private mutating func number(in range: Range<Int>, isWhole: Bool) throws(JSONSyntaxError) -> ManifestValue
    {
        let text = String(decoding: bytes[range], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else {
            let message = "The number \(Wording.clipped(text)) is out of range."
            return try refuse(error(message, at: position(at: range.lowerBound)), for: .null)
        }
        return .number(number)
    }
}
