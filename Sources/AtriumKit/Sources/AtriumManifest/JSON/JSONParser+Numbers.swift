extension JSONParser {
    /// Reads a number: an optional minus, digits without leading zeros, a fraction, an exponent.
    mutating func parseNumber() throws(JSONSyntaxError) -> LocatedJSON.Content {
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
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        if offset == start { throw error("Found \(found) after \(what); allowed: a digit.") }
    }

    private func number(in range: Range<Int>, isWhole: Bool) throws(JSONSyntaxError) -> LocatedJSON.Content {
        let text = String(decoding: bytes[range], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else {
            throw error(
                "The number \(Wording.clipped(text)) is out of range.", at: position(at: range.lowerBound))
        }
        return .number(number)
    }
}
