/// What a person proves who they are with.
struct Credentials: Hashable, Sendable {
    let email: String
    let password: String

    /// Every rule that the credentials of a new account break; empty where they are good.
    ///
    /// Only a new account is checked: what is wrong at sign-in gets the one answer that sign-in gives.
    func validate() -> [ValidationFinding] {
        EmailRule.problems(of: email).map { ValidationFinding(field: "email", message: $0) }
            + PasswordRule.problems(of: password).map { ValidationFinding(field: "password", message: $0) }
    }

    /// Makes sure that the credentials are good for a new account.
    ///
    /// - Throws: ``ValidationError`` with everything that is wrong.
    func requireValid() throws {
        let findings = validate()
        guard findings.isEmpty else { throw ValidationError(findings: findings) }
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "Credentials(email: \(email), password: hidden)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["email": email]) }
}
