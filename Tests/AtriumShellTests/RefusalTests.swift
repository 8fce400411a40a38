import AtriumKit
import Testing

@testable import AtriumSession
@testable import AtriumText

@MainActor
@Suite struct RefusalTests {
    @Test("An error whose id is null refuses the connection; another message needs its id")
    func refusal() throws {
        let error = ShellError("tooManyClients", "64 clients are attached already.", category: .refused)
        let line = RPCMessage.failure(nil, RPCError(error))

        guard case .refusal(let refusal) = RPCMessage(line: Array(line.utf8.dropLast())) else {
            Issue.record("It is no refusal: \(line)")
            return
        }

        let shown = ShellError(refusal)
        #expect(shown.code == "tooManyClients")
        #expect(shown.message == "64 clients are attached already.")
        #expect(ExitStatus(shown) == .refused)
        for text in [
            #"{"jsonrpc":"2.0","id":null,"result":{}}"#, #"{"jsonrpc":"2.0","id":null,"method":"run"}"#,
            #"{"jsonrpc":"2.0","id":{},"error":{}}"#,
        ] {
            guard case .invalid = RPCMessage(line: Array(text.utf8)) else {
                Issue.record("It is valid: \(text)")
                continue
            }
        }
    }

    @Test("An output that fails says what was done before, and fails from then on")
    func output() throws {
        let stream = OutputStream(name: "Standard output") { _ in 28 }
        try stream.write("a line\n")

        let error = #expect(throws: ShellError.self) { try stream.flush() }

        #expect(
            error?.message
                == "Standard output can't be written: No space left on device; the rest was not run.")
        #expect(
            error?.following(["entities create"]).message
                == "'entities create' succeeded. Standard output can't be written: No space left on device; the rest was not run."
        )
        #expect(throws: ShellError.self) { try stream.write("another\n") }
    }
}
