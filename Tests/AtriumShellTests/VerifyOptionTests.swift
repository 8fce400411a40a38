import AtriumKit
import Testing

@testable import AtriumShell

@Suite("Verification from the command line")
struct VerifyOptionTests {
    @Test(
        "It is a mode like a script, with any options around it",
        arguments: [
            ["verify"], ["--json", "verify"], ["verify", "--env", "mock", "--config=c"],
        ])
    func mode(_ words: [String]) throws {
        #expect(try Options(words).mode == .verify)
    }

    @Test("It runs the command that a person would type")
    func source() throws {
        guard case .text(let bytes) = try Options(["verify"]).source() else {
            Issue.record("It is not a script.")
            return
        }

        #expect(String(decoding: bytes, as: UTF8.self) == "container verify")
    }

    @Test(
        "It can't be given with a script, nor twice",
        arguments: [["verify", "verify"], ["verify", "-c", "a"], ["run", "a", "verify"]])
    func once(_ words: [String]) {
        let error = #expect(throws: ShellError.self) { try Options(words) }

        #expect(error?.message == "Only one of '-c', 'run', 'verify' and 'lock' can be given, once.")
    }

    @Test("Help and the version win over it", arguments: [["verify", "--help"], ["--help", "verify"]])
    func help(_ words: [String]) throws {
        #expect(try Options(words).mode == .help)
    }

    @Test("A mistyped one is told with the nearest")
    func mistyped() {
        let error = #expect(throws: ShellError.self) { try Options(["verfy"]) }

        #expect(error?.message == "There is no option 'verfy'.")
        #expect(error?.hint == "Did you mean 'verify'? 'atrium --help' lists them.")
    }
}
