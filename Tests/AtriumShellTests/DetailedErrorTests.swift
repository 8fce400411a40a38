@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumText

private struct BrokenChecks: DetailedError {
    let code: ErrorCode = "broken"
    let message = "Two checks are broken."
    let hint: String? = "check again"
    let details: Content? = Content {
        Field("broken", 2)
        Verbatim("list", ["a", "b"], value: ["a", "b"])
    }
}

@MainActor
private func printReplies(isJSON: Bool) throws {
    let style = TextStyle(isColored: false)
    let printer = ReplyPrinter(
        isJSON: isJSON, width: { 40 }, style: style, errorStyle: style, separatesReplies: true)
    try printer.print(Reply(command: "check", outcome: .failed(BrokenChecks())))
    try printer.print(Reply(command: "rest", outcome: .done(Reply.Output(message: "Rested."))))
    try printer.print(line: "built a\nthing\u{7}")
    try printer.print(Reply(command: "check", outcome: .failed(BrokenChecks())))
    try OutputStream.standardOutput.flush()
}

// Replies are printed to the descriptors of the process, so each test runs in a process of its own.
@Suite("Errors with details")
struct DetailedErrorTests {
    @Test("As text, details are separate results on standard output, and the error is on standard error")
    func text() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try await printReplies(isJSON: false)
        }

        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(
            output.contains("Broken  2\n\na\nb\n\nRested.\n\nBroken  2\n\na\nb\n"), "\(output)")
        let error = "error: Two checks are broken.\n  hint: check again\n"
        #expect(errors.contains(error + "built a thing\u{FFFD}\n" + error), "\(errors)")
        #expect(!output.contains("error:"))
    }

    @Test("As JSON, details are a member of the error")
    func json() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try await printReplies(isJSON: true)
        }

        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        #expect(
            output.contains(
                #"""
                {"command":"check","ok":false,"error":{"code":"broken","message":"Two checks are broken.",\#
                "hint":"check again","details":{"broken":2,"list":["a","b"]}}}
                {"command":"rest","ok":true,"result":{"message":"Rested."}}
                """#), "\(output)")
    }

    @Test("Details are found in an error of type 'any ExplainedError'")
    func existential() {
        let error: any ExplainedError = BrokenChecks()

        #expect(error.json["details"] == ["broken": 2, "list": ["a", "b"]])
        #expect(OutOfStock().json["details"] == [:])
    }

    @Test("In JSON, broken rules are rows with the names of their fields, also those that a server has found")
    func findings() throws {
        let own = ValidationError(findings: [
            ValidationFinding("The name is empty.", field: "name"),
            ValidationFinding("It has no end.", line: 3, column: 14),
        ])
        let server = APIError.serverError(
            code: 422, message: "Refused.", status: 422,
            problem: ProblemDetails(errors: [ProblemDetails.Field(field: "email", detail: "It is taken.")]))
        let wrapped = ShellError("refused", "Not done.", cause: server)

        #expect(
            own.json["details"]?.serialized == """
                {"rows":[{"field":"name","message":"The name is empty."},\
                {"field":null,"message":"It has no end.","line":3,"column":14}]}
                """)
        for error in [server, wrapped] as [any ExplainedError] {
            #expect(
                error.json["details"]?.serialized == #"{"rows":[{"field":"email","message":"It is taken."}]}"#
            )
        }
        #expect(ShellError("refused", "Not done.").json["details"]?.serialized == "{}")
    }
}
