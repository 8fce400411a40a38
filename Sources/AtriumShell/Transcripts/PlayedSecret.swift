internal import Glibc

/// What stands behind `secret>` in a transcript: a value, or a name for one.
enum PlayedSecret {
    /// The value: the text itself; for `@env:NAME` that of the variable; for `<secret-N>` that of `ATRIUM_SECRET_N`,
    /// or one that is made up if there is none.
    ///
    /// - Returns: Nil if `@env:NAME` names no variable.
    static func value(of text: String) -> String? {
        if text.hasPrefix("<secret-"), text.hasSuffix(">"), let number = Int(text.dropFirst(8).dropLast()) {
            return variable("ATRIUM_SECRET_\(number)") ?? madeUp(number)
        }
        return text.hasPrefix("@env:") ? variable(String(text.dropFirst(5))) : text
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// What a recorded transcript has instead of a secret that was typed.
    static func placeholder(_ number: Int) -> String { "<secret-\(number)>" }

    /// Letters of both cases, digits and others, as most rules demand.
    private static func madeUp(_ number: Int) -> String { "Made-up secret \(number), of a transcript" }
}
