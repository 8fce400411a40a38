import AtriumKit

struct Credentials: Codable, Hashable, Sendable {
    let email: String
    /// Exactly as it was typed.
    let password: String

    init(email: String, password: String) {
        (self.email, self.password) = (email.normalized, password)
    }

    /// The rules that the credentials of a new account break; not checked at sign-in.
    func validate() -> [ValidationFinding] {
        emailProblems.map { ValidationFinding($0, field: "email") }
            + passwordProblems.map { ValidationFinding($0, field: "password") }
    }

    /// The rule for email addresses; only sending a message would prove more.
    private var emailProblems: [String] {
        guard !email.isEmpty else { return ["The email is empty."] }
        let isForbidden = email.unicodeScalars.map(\.properties).contains {
            $0.isWhitespace || $0.generalCategory == .control
        }
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        let isAddress = parts.count == 2 && !parts.contains("")
        // The longest address that mail can be sent to (RFC 3696, erratum 1690).
        return (isForbidden ? ["The email must not contain spaces or control characters."] : [])
            + (isAddress ? [] : ["The email needs exactly one '@' with text on both sides."])
            + Self.problems(of: email, "email", maximumBytes: 254)
    }

    /// The rule for passwords: length only (NIST SP 800-63B, 5.1.1.2); the sentences don't reveal it.
    private var passwordProblems: [String] {
        let has = password.count == 1 ? "1 character" : "\(password.count) characters"
        return (password.count < 8 ? ["The password has \(has); at least 8 are needed."] : [])
            + Self.problems(of: password, "password", maximumBytes: 1_024)
    }

    private static func problems(of text: String, _ name: String, maximumBytes: Int) -> [String] {
        guard text.utf8.count > maximumBytes else { return [] }
        return ["The \(name) takes \(text.utf8.count) bytes; at most \(maximumBytes) are allowed."]
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "Credentials(email: \(email), password: hidden)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["email": email]) }
}
