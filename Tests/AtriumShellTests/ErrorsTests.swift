import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumText

private struct Categorised: ExplainedError {
    let code: ErrorCode = "categorised"
    let message = "It failed."
    let category: ErrorCategory
}

private enum SecretFailure: Error {
    case password(String)
}

@Suite("Exit codes and messages of errors")
struct ErrorsTests {
    @Test(
        "The category of an error decides the exit code",
        arguments: [
            (.failure, 1), (.validation, 1), (.usage, 2), (.module, 3), (.refused, 4), (.cancelled, 130),
        ] as [(ErrorCategory, Int32)])
    func exitCodes(_ category: ErrorCategory, _ code: Int32) {
        #expect(ExitStatus(Categorised(category: category)).rawValue == code)
        #expect(ExitStatus.done.rawValue == 0)
    }

    @Test("An error with a message is passed on unchanged")
    func explained() {
        #expect(ShellError.explain(Categorised(category: .refused)) is Categorised)
    }

    @Test("An error without a message is reported by its type only, and is the cause")
    func unexplained() {
        let error = ShellError.explain(SecretFailure.password("hunter2"))

        #expect(error.code == .unexpected)
        #expect(error.message == "An unexpected error of type 'SecretFailure' occurred.")
        #expect(error.hint == "This is a defect of the module that did it; report it to its author.")
        #expect(error.category == .failure)
        #expect(error.cause is SecretFailure)
    }

    @Test("A CancellationError is reported as a cancelled command")
    func cancelled() {
        let error = ShellError.explain(CancellationError())

        #expect(error.code == .cancelled)
        #expect(error.message == "The command was cancelled.")
        #expect(error.hint == nil)
        #expect(ExitStatus(error) == .cancelled)
    }

    private static let long = String(repeating: "x", count: 100_000)

    @Test(
        "Errors don't quote a word of 100 kB in full",
        arguments: [
            "WORD", "items/WORD", "open 'items/1#WORD'", "open 'items/%zz/WORD'", "items?WORD=1", "open WORD",
            "open items/WORD", "back WORD", "items WORD", "items list --page WORD", "items list --sort WORD",
            "items list --WORD", "items create $WORD", "module WORD", "mock set WORD error",
            "mock set Shop WORD", "help WORD", "container WORD", "watch WORD", "watch WORD --end",
            "assert WORD == 1", "live --for WORD", "module add WORD", "module add ./WORD",
        ])
    @MainActor func longWords(_ line: String) async throws {
        let shop = try TestHost()

        let error = try await shop.failure(line.replacing("WORD", with: Self.long))

        let lengths = [error?.message, error?.hint].map { $0?.utf8.count ?? 0 }
        #expect(error != nil && lengths.allSatisfy { $0 < 1_000 }, "\(line): \(lengths)")
    }

    @Test(
        "Messages keep paths whole, and leave out the middle of longer words",
        arguments: [
            ("'\(String(repeating: "a", count: 298))' 'b c'", 306),
            ("It is '\(String(repeating: "é", count: 400))'  there.", 314),
            (String(repeating: "a ", count: 6_000), 10_000),
        ])
    func paths(_ message: String, _ count: Int) {
        let shown = message.withShortWords

        #expect(shown.count == count)
        #expect(shown.prefix(100) == message.prefix(100) && shown.suffix(100) == message.suffix(100))
        #expect(shown.contains("…") == (count < message.count))
    }

    @Test("In JSON an error has code, message, hint and details; the hint is null if there is none")
    func json() {
        let error = ShellError.explain(CancellationError())

        #expect(
            JSONValue.object(error.json).serialized
                == #"{"code":"cancelled","message":"The command was cancelled.","hint":null,"details":{}}"#)
    }
}
