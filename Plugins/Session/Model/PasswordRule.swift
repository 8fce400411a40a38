/// What a password must be: long, and nothing else (NIST SP 800-63B, 5.1.1.2).
enum PasswordRule {
    static let minimumCharacters = 8
    static let maximumBytes = 1024

    /// Every part of the rule that `password` breaks, as sentences that do not show it.
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
