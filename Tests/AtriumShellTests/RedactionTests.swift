@_spi(Host) import AtriumKit
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumText

@Suite("Redaction of secrets")
struct RedactionTests {
    private static let secret = "hunter2"

    private let signIn = Action(
        "sign-in", "Signs in", Argument<String>("email"), Argument<String>("password", isSecret: true),
        Argument<String?>("note")
    ) { _, _, _ in .updated }

    private func command(_ line: String) throws -> Command {
        try #require(try Lexer.commands(in: line).first)
    }

    private func texts(_ line: String, knowsAction: Bool = true) throws -> (printed: String, kept: String) {
        let (command, action) = (try command(line), knowsAction ? signIn : nil)
        let skipped = command.words[0].text == "session" ? 2 : 1
        return (
            Redaction.text(of: command, arguments: action?.arguments, words: skipped, marksSecrets: true),
            Redaction.text(of: command, arguments: action?.arguments, words: skipped, marksSecrets: false)
        )
    }

    @Test(
        "A secret in any form is hidden in replies and omitted from the history",
        arguments: [
            (
                "sign-in --email ada --password hunter2", "sign-in --email ada --password …",
                "sign-in --email ada"
            ),
            (
                "sign-in --password=hunter2 --email ada", "sign-in --password … --email ada",
                "sign-in --email ada"
            ),
            ("sign-in ada hunter2 note", "sign-in ada --password … note", "sign-in ada note"),
            ("sign-in --email=ada hunter2", "sign-in --email=ada --password …", "sign-in --email=ada"),
            (
                "sign-in --note n --email a hunter2", "sign-in --note n --email a --password …",
                "sign-in --note n --email a"
            ),
            ("sign-in -- ada hunter2", "sign-in -- ada …", "sign-in -- ada"),
            ("sign-in '--ada' '--hunter2'", "sign-in '--ada' --password …", "sign-in '--ada'"),
            (
                "sign-in ada --password --note n hunter2", "sign-in ada --password --note n …",
                "sign-in ada --password --note n"
            ),
            ("sign-in ada hun ter2", "sign-in ada --password … ter2", "sign-in ada ter2"),
            ("sign-in ada n n hunter2", "sign-in ada --password … n …", "sign-in ada n"),
            ("sign-in ada --hunter2", "sign-in ada …", "sign-in ada"),
            ("sign-in --emial ada hunter2", "sign-in --emial … …", "sign-in"),
            ("session sign-in ada 'hunter2'", "session sign-in ada --password …", "session sign-in ada"),
            ("sign-in ada --password '--hunter2'", "sign-in ada --password …", "sign-in ada"),
            ("sign-in ada --password --hunter2", "sign-in ada --password …", "sign-in ada"),
            ("sign-in 'a b' hunter2", "sign-in 'a b' --password …", "sign-in 'a b'"),
        ])
    func forms(_ line: String, _ printed: String, _ kept: String) throws {
        let texts = try texts(line)

        #expect(texts.printed == printed)
        #expect(texts.kept == kept)
    }

    @Test("A reference to a secret is not redacted", arguments: ["@env:PW", "@file:/run/pw"])
    func references(_ reference: String) throws {
        for line in [
            "sign-in ada \(reference)", "sign-in --password \(reference)", "sign-in --password=\(reference)",
        ] {
            let texts = try texts(line)

            #expect(texts.printed == line)
            #expect(texts.kept == line)
        }
    }

    @Test("If the action is unknown, an argument with the name of a secret counts as one")
    func unknownAction() throws {
        let texts = try texts(
            "sgn-in --email ada --Password hunter2 --pasword hunter2 --token=hunter2", knowsAction: false)

        #expect(texts.printed == "sgn-in --email ada --Password … --pasword … --token …")
        #expect(texts.kept == "sgn-in --email ada")
        #expect(try self.texts("create --name x", knowsAction: false).printed == "create --name x")
    }

    @Test(
        "A value in a link's query with the name of a secret is hidden, in any word",
        arguments: [
            ("session?password=hunter2", "session?password=…"),
            ("open 'a/b?x=1&userToken=hunter2&y=2'", "open a/b?x=1&userToken=…&y=2"),
            ("frob --link=a?Secret=hunter2#x", "frob --link=a?Secret=…"), ("a?x=password", "a?x=password"),
        ])
    func links(_ line: String, _ shown: String) throws {
        let command = try command(line)

        #expect(Redaction.text(of: command, arguments: nil, words: 1, marksSecrets: true) == shown)
        #expect(Redaction.text(of: command, arguments: nil, words: 1, marksSecrets: false) == shown)
        #expect(!Redaction.firstWord(of: Redaction.plain(command)).contains(Self.secret))
    }

    @Test("No secret is shown, in any order and form of the arguments", arguments: 0..<8)
    func noneSurvives(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let line = Self.line(&generator)
            guard let command = try Lexer.commands(in: line).first else { continue }
            let values = try? ArgumentReader.read(command.words.dropFirst(), for: signIn)

            let texts = try texts(line)

            // A secret must not be shown if the reader accepts it as the secret or refuses the line.
            let isRead = values?["password"] == Self.secret || values == nil
            if isRead {
                try #require(!texts.printed.contains(Self.secret), "\(line) → \(texts.printed)")
                try #require(!texts.kept.contains(Self.secret), "\(line) → \(texts.kept)")
            }
        }
    }

    /// Returns a call of `sign-in` with `hunter2` where the password is, or is meant to be.
    private static func line(_ generator: inout SeededGenerator) -> String {
        let spelling =
            ["hunter2", "'hunter2'", "\"hunter2\"", "hunter\\2"].randomElement(using: &generator) ?? ""
        let password = [
            "--password \(spelling)", "--password=\(spelling)", "--pasword \(spelling)",
            "--Password=\(spelling)",
        ]
        let email = ["--email ada", "--email=ada", "--emial ada"].randomElement(using: &generator) ?? ""
        let note = ["--note n", "--note=n", "--note 'a b'", ""].randomElement(using: &generator) ?? ""
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            let parts = [password.randomElement(using: &generator) ?? "", email, note].shuffled(
                using: &generator)
            return "sign-in " + parts.joined(separator: " ")
        case 1: return "sign-in ada \(spelling) \(note)"
        case 2:
            return "sign-in \([email, note].shuffled(using: &generator).joined(separator: " ")) \(spelling)"
        case 3: return "sign-in \(note) -- ada \(spelling)"
        default: return "sign-in ada n --note n \(spelling) \(spelling)"
        }
    }
}
