import AtriumKit
import Testing

@testable import Session

@Suite("Credentials")
struct CredentialsTests {
    /// The sentences about an email, with a good password.
    private func emailProblems(_ email: String) -> [String] {
        problems(Credentials(email: email, password: "12345678"), field: "email")
    }

    /// The sentences about a password, with a good email.
    private func passwordProblems(_ password: String) -> [String] {
        problems(Credentials(email: "ada@example.com", password: password), field: "password")
    }

    private func problems(_ credentials: Credentials, field: String) -> [String] {
        let findings = credentials.validate()
        #expect(findings.allSatisfy { $0.field == field })
        return findings.map(\.message)
    }

    @Test(
        "An email has one '@', text on both sides, no spaces and no control characters",
        arguments: [
            ("ada@example.com", []),
            ("a@b", []),
            ("ADA+tag@Example.COM", []),
            ("用户@例え.example", []),
            ("", ["The email is empty."]),
            ("ada", ["The email needs exactly one '@' with text on both sides."]),
            ("@example.com", ["The email needs exactly one '@' with text on both sides."]),
            ("ada@", ["The email needs exactly one '@' with text on both sides."]),
            ("a@b@c", ["The email needs exactly one '@' with text on both sides."]),
            ("a da@example.com", ["The email must not contain spaces or control characters."]),
            (" ada@example.com", ["The email must not contain spaces or control characters."]),
            ("ada@example.com\n", ["The email must not contain spaces or control characters."]),
            ("ada\u{0}@example.com", ["The email must not contain spaces or control characters."]),
            ("ada\u{A0}@example.com", ["The email must not contain spaces or control characters."]),
            (
                "a b",
                [
                    "The email must not contain spaces or control characters.",
                    "The email needs exactly one '@' with text on both sides.",
                ]
            ),
        ])
    func email(_ email: String, problems: [String]) {
        #expect(emailProblems(email) == problems)
    }

    @Test("An email takes at most 254 bytes")
    func longEmail() {
        let longest = String(repeating: "a", count: 252) + "@b"

        #expect(emailProblems(longest) == [])
        #expect(emailProblems("a" + longest) == ["The email takes 255 bytes; at most 254 are allowed."])
    }

    @Test(
        "A password has at least 8 characters",
        arguments: [
            ("", ["The password has 0 characters; at least 8 are needed."]),
            ("x", ["The password has 1 character; at least 8 are needed."]),
            ("1234567", ["The password has 7 characters; at least 8 are needed."]),
            ("12345678", []),
            ("        ", []),
            ("密码密码密码密码", []),
            ("👩‍👩‍👧‍👦", ["The password has 1 character; at least 8 are needed."]),
        ])
    func password(_ password: String, problems: [String]) {
        #expect(passwordProblems(password) == problems)
    }

    @Test("A password takes at most 1,024 bytes")
    func longPassword() {
        #expect(passwordProblems(String(repeating: "x", count: 1_024)) == [])
        #expect(
            passwordProblems(String(repeating: "x", count: 1_025))
                == ["The password takes 1025 bytes; at most 1024 are allowed."])
        #expect(
            passwordProblems(String(repeating: "é", count: 513))
                == ["The password takes 1026 bytes; at most 1024 are allowed."])
    }

    @Test("All mistakes are found at once")
    func allFindings() {
        let findings = Credentials(email: "ada", password: "short").validate()

        #expect(findings.map(\.field) == ["email", "password"])
        #expect(
            ValidationError(findings: findings).message == """
                The email needs exactly one '@' with text on both sides. \
                The password has 5 characters; at least 8 are needed.
                """)
    }

    @Test("Printed and dumped credentials do not contain the password")
    func redaction() {
        let credentials = Credentials(email: "ada@example.com", password: "correct horse")
        var dumped = ""
        dump(credentials, to: &dumped)

        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains("correct horse"))
        }
    }
}
