import AtriumKit

struct Credentials: Hashable, Sendable {
    let email: String
    let password: String

    /// The rules that the credentials of a new account break; not checked at sign-in.
    func validate() -> [ValidationFinding] {
        EmailRule.problems(of: email).map { ValidationFinding($0, field: "email") }
            + PasswordRule.problems(of: password).map { ValidationFinding($0, field: "password") }
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "Credentials(email: \(email), password: hidden)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["email": email]) }
}

/// The rule for email addresses; only sending a message would prove more.
enum EmailRule {
    /// The longest address that mail can be sent to, in bytes (RFC 3696, erratum 1690).
    static let maximumBytes = 254

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

    /// The form under which an account is found, ignoring case.
    static func key(of email: String) -> String {
        email.lowercased()
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
    }
}

/// The rule for passwords: length only (NIST SP 800-63B, 5.1.1.2).
enum PasswordRule {
    static let minimumCharacters = 8
    static let maximumBytes = 1024

    /// The parts of the rule that `password` breaks, as sentences that don't reveal it.
    static func problems(of password: String) -> [String] {
        var problems: [String] = []
        if password.count < minimumCharacters {
            let has = password.count == 1 ? "1 character" : "\(password.count) characters"
            problems.append("The password has \(has); at least \(minimumCharacters) are needed.")
        }
        if password.utf8.count > maximumBytes {
            problems.append(
                "The password takes \(password.utf8.count) bytes; at most \(maximumBytes) are allowed.")
        }
        return problems
    }
}
