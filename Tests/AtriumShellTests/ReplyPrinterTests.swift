import AtriumKit
import Testing

@testable import AtriumShell

private struct OutOfPaper: ExplainedError {
    let code: ErrorCode = "outOfPaper"
    let message = "The printer is \u{1B}out of paper."
    let hint: String? = "print again"
}

private struct Unhinted: ExplainedError {
    let code: ErrorCode = "broken"
    let message = "It is broken."
}

/// Prints a few replies, as a script would.
@MainActor
private func printReplies(isJSON: Bool) throws {
    let style = TextStyle(isColored: false)
    let printer = ReplyPrinter(
        isJSON: isJSON, width: { 40 }, style: style, errorStyle: style, separatesReplies: true)
    let content = Content { Field("id", 7) }
    for reply in [
        Reply(
            command: "create lamp", outcome: .done(Reply.Output(message: "Created \u{7}7.", content: content))
        ),
        Reply(command: "rest", outcome: .done(Reply.Output())),
        Reply(command: "print", outcome: .failed(OutOfPaper())),
        Reply(command: "break", outcome: .failed(Unhinted())),
        Reply(command: "delete 7", outcome: .done(Reply.Output(message: "Deleted."))),
    ] {
        try printer.print(reply)
    }
    try OutputStream.standardOutput.flush()
}

// What is printed goes to the descriptors of the process, so each of these is a process of its own.
@Suite("Replies are printed")
struct ReplyPrinterTests {
    @Test(
        "As text: results on standard output and apart, errors with their hints on standard error, no controls"
    )
    func text() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try await printReplies(isJSON: false)
        }

        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(output.contains("Created \u{FFFD}7.\n\nId  7\n\nDeleted.\n"), "\(output)")
        #expect(
            errors.contains(
                "error: The printer is \u{FFFD}out of paper.\n  hint: print again\nerror: It is broken.\n"),
            "\(errors)")
    }

    @Test("As JSON: one object a line on standard output, the command first")
    func json() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try await printReplies(isJSON: true)
        }

        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(
            output.contains(
                #"""
                {"command":"create lamp","ok":true,"result":{"id":7,"message":"Created \u00077."}}
                {"command":"rest","ok":true,"result":{}}
                {"command":"print","ok":false,"error":{"code":"outOfPaper","message":"The printer is \u001bout of paper.","hint":"print again"}}
                {"command":"break","ok":false,"error":{"code":"broken","message":"It is broken.","hint":null}}
                {"command":"delete 7","ok":true,"result":{"message":"Deleted."}}

                """#), "\(output)")
        #expect(!errors.contains("out of paper"))
    }
}
