internal import CSodium

/// Base64 of RFC 4648, section 4, with its padding.
enum Base64 {
    /// The bytes of a text.
    ///
    /// - Parameters:
    ///   - text: Nothing but base64, without spaces or line breaks.
    ///   - count: How many bytes it has to have.
    ///   - what: What it is, with its article, for the problem.
    /// - Returns: Exactly `count` bytes.
    /// - Throws: ``MinisignProblem`` where the text is shorter, longer or no base64.
    static func bytes(_ text: String, count: Int, of what: String) throws(MinisignProblem) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var found = 0
        let length = text.utf8.count
        let expected = (count + 2) / 3 * 4
        guard length == expected else {
            throw MinisignProblem("\(what) has \(expected) characters, not \(length)")
        }
        guard
            sodium_base642bin(
                &bytes, count, text, length, nil, &found, nil, sodium_base64_VARIANT_ORIGINAL) == 0,
            found == count
        else { throw MinisignProblem("\(what) in base64 was expected") }
        return bytes
    }
}
