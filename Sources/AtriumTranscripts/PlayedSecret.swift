internal import Glibc

/// The text after `secret>` in a transcript: a value, or a name for one.
enum PlayedSecret {
    /// Returns the text itself; for `@env:NAME` the variable's value; for `<secret-N>` the value of
    /// `ATRIUM_SECRET_N`, or a made-up one if it is not set.
    ///
    /// - Returns: Nil if `@env:NAME` names no variable.
    static func value(of text: String) -> String? {
        if text.hasPrefix("<secret-"), text.hasSuffix(">"), let number = Int(text.dropFirst(8).dropLast()) {
            return variable("ATRIUM_SECRET_\(number)") ?? madeUp(number)
        }
        return text.hasPrefix("@env:") ? variable(String(text.dropFirst(5))) : text
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The placeholder for a typed secret in a recorded transcript.
    static func placeholder(_ number: Int) -> String { "<secret-\(number)>" }

    /// Mixed-case letters, digits and other characters, as most rules require.
    private static func madeUp(_ number: Int) -> String { "Made-up secret \(number), of a transcript" }
}
