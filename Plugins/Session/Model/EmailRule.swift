/// What counts as an email address: only a message sent there would prove more.
enum EmailRule {
    /// The longest address that mail can be sent to, in bytes (RFC 3696, erratum 1690).
    static let maximumBytes = 254

    /// Every part of the rule that `email` breaks, as sentences.
    static func problems(of email: String) -> [String] {
        guard !email.isEmpty else { return ["The email is empty."] }
        var problems: [String] = []
        if email.unicodeScalars.contains(where: isForbidden) {
            problems.append("The email must not contain spaces or control characters.")
        }
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        if parts.count != 2 || parts.contains(where: \.isEmpty) {
            problems.append("The email needs exactly one '@' with text on both sides.")
        }
        if email.utf8.count > maximumBytes {
            problems.append("The email takes \(email.utf8.count) bytes; at most \(maximumBytes) are allowed.")
        }
        return problems
    }

    /// The form under which an account is found: two addresses that differ in case only are one.
    static func key(of email: String) -> String {
        email.lowercased()
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
    }
}
