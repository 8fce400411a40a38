import AtriumKit
import Testing

@testable import AtriumPrompt
@testable import AtriumText

@Suite("Verification from the command line")
struct VerifyOptionTests {
    @Test(
        "'verify' is a mode, with any options around it",
        arguments: [
            ["verify"], ["--json", "verify"], ["verify", "--env", "mock", "--config=c"],
        ])
    func mode(_ words: [String]) throws {
        #expect(try Options(words).mode == .verify)
    }

    @Test("'verify' runs the command 'verify'")
    func source() throws {
        guard case .text(let bytes) = try Options(["verify"]).source() else {
            Issue.record("The mode is not a script.")
            return
        }

        #expect(String(decoding: bytes, as: UTF8.self) == "verify")
    }

    @Test(
        "'verify' can't be given with a script, nor twice",
        arguments: [
            (["verify", "verify"], "'verify' can be given only once."),
            (["verify", "-c", "a"], "Only one of 'verify' and '-c' can be given."),
            (["run", "a", "verify"], "Only one of 'run' and 'verify' can be given."),
        ])
    func once(_ words: [String], _ message: String) {
        let error = #expect(throws: ShellError.self) { try Options(words) }

        #expect(error?.message == message)
    }

    @Test("'--help' takes precedence", arguments: [["verify", "--help"], ["--help", "verify"]])
    func help(_ words: [String]) throws {
        #expect(try Options(words).mode == .help)
    }

    @Test("The error about a mistyped 'verify' suggests it")
    func mistyped() {
        let error = #expect(throws: ShellError.self) { try Options(["verfy"]) }

        #expect(error?.message == "There is no option 'verfy'.")
        #expect(error?.hint == "Did you mean 'verify'? 'atrium --help' lists them.")
    }
}
