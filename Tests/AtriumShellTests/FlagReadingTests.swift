@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumLineEditor
@testable import AtriumText

@Suite("Boolean arguments in redaction and completion")
@MainActor
struct FlagReadingTests {
    private let signIn = Action(
        "sign-in", "Signs in", Argument<String>("email"), Argument<String>("password", isSecret: true),
        Argument("remember", default: false)
    ) { _, _, _ in .updated }

    private func texts(_ line: String) throws -> (printed: String, kept: String) {
        let command = try #require(try Lexer.commands(in: line).first)
        return (
            Redaction.text(of: command, arguments: signIn.arguments, words: 1, marksSecrets: true),
            Redaction.text(of: command, arguments: signIn.arguments, words: 1, marksSecrets: false)
        )
    }

    @Test("A secret after a flag and the first value is hidden")
    func secret() throws {
        let values = try ArgumentReader.read(
            try Lexer.commands(in: "--remember ada hunter2").flatMap(\.words), for: signIn
        )
        #expect(values["email"] == "ada" && values["password"] == "hunter2")

        let texts = try texts("sign-in --remember ada hunter2")

        #expect(texts.printed == "sign-in --remember ada --password …")
        #expect(texts.kept == "sign-in --remember ada")
    }

    @Test("A flag, with or without its value, hides no other value and shows no secret")
    func valued() throws {
        #expect(
            try texts("sign-in --remember no ada hunter2").printed == "sign-in --remember no ada --password …"
        )
        #expect(try texts("sign-in ada hunter2 --remember").kept == "sign-in ada --remember")
    }

    @Test("Completion counts the value after a flag, and offers nothing that the reader would refuse")
    func completion() throws {
        let shop = try TestHost()
        try shop.add("Kitchen", Kitchen.register)
        let line = "container graph --dot Stove "

        let completer = Completer(interpreter: Interpreter(scene: shop.scene))
        let list = completer.completions(of: line, at: line.utf8.count)

        #expect(list.candidates.map(\.text) == ["--svg"])
    }
}
