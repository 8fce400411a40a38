@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumText

private struct OutOfPaper: ExplainedError {
    let code: ErrorCode = "outOfPaper"
    let message = "The printer is \u{1B}out of paper."
    let hint: String? = "print again"
}

private struct Unhinted: ExplainedError {
    let code: ErrorCode = "broken"
    let message = "It is broken."
}

/// Prints a few replies, as a script does.
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
    try printer.print(failure: Unhinted())
    try OutputStream.standardOutput.flush()
}

private struct TooLong: ExplainedError {
    let code: ErrorCode = "tooLong"
    let message = "The name of the lamp is longer than a shelf."
    let hint: String? = "Type lamps create --name 'A lamp'"
}

/// Prints long replies, to a terminal of 24 columns or to a pipe.
@MainActor
private func printLongReplies(isTerminal: Bool) throws {
    let style = TextStyle(isColored: isTerminal)
    let width: @MainActor @Sendable () -> Int = { 24 }
    let printer = ReplyPrinter(
        isJSON: false, width: width, isTerminal: isTerminal, errorWidth: isTerminal ? width : nil,
        style: style, errorStyle: style)
    let content = Content { Verbatim("drawing", ["A drawing as wide as a wall"]) }
    try printer.print(
        Reply(
            command: "draw",
            outcome: .done(Reply.Output(message: "Drew what was asked for.\nAnd no more.", content: content)))
    )
    try printer.print(Reply(command: "create", outcome: .failed(TooLong())))
    try printer.print(TooLong(), as: "warning")
    try printer.print(line: "warning: A lamp outlived its screen.")
    try OutputStream.standardOutput.flush()
}

// Replies are printed to the descriptors of the process, so each test runs in a process of its own.
@Suite("ReplyPrinter")
struct ReplyPrinterTests {
    @Test("As text, results go to standard output and errors to standard error, without control characters")
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
                """
                error: The printer is \u{FFFD}out of paper.
                  hint: print again
                error: It is broken.
                error: It is broken.

                """), "\(errors)")
    }

    @Test("As JSON, standard output has one object per line, with the command first")
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
                {"command":"print","ok":false,"error":{"code":"outOfPaper","message":"The printer is \u001bout of paper.","hint":"print again","details":{}}}
                {"command":"break","ok":false,"error":{"code":"broken","message":"It is broken.","hint":null,"details":{}}}
                {"command":"delete 7","ok":true,"result":{"message":"Deleted."}}
                {"command":null,"ok":false,"error":{"code":"broken","message":"It is broken.","hint":null,"details":{}}}

                """#), "\(output)")
        #expect(errors.hasSuffix("error: It is broken.\n"))
        #expect(!errors.contains("out of paper"))
    }

    @Test("What a terminal would obey is escaped in JSON, and means the same")
    func escaped() throws {
        let evil = "\u{1B}[2J\u{7F}\u{80}\u{9B}31m\u{9F}é\u{202E}x\u{2066}\u{200F}\u{61C}😀\n"
        let line = JSONObject(command: evil, result: ["text": .string(evil)]).line

        #expect(line.unicodeScalars.dropLast().allSatisfy { $0.value >= 0x20 && !$0.isControl })
        #expect(line.contains(#"\u007f\u0080\u009b31m\u009fé\u202ex\u2066\u200f\u061c😀\n"#))
        let command = try StateCoding.decode([String: JSONText].self, from: line)["command"]?.text
        #expect(command == evil)
    }

    /// A text; anything else is left out.
    private struct JSONText: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }

    @Test("On a terminal no line is wider than it, and further lines of an error are indented")
    func terminal() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try await printLongReplies(isTerminal: true)
        }

        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(
            output.contains("Drew what was asked for.\nAnd no more.\n\nA drawing as wide as a w\nall\n"),
            "\(output)")
        #expect(
            errors.contains(
                """
                \u{1B}[31merror:\u{1B}[0m The name of the
                  lamp is longer than a
                  shelf.
                  \u{1B}[2mhint:\u{1B}[0m Type lamps
                    create --name
                    'A lamp'
                \u{1B}[33mwarning:\u{1B}[0m The name of the
                  lamp is longer than a
                  shelf.

                """), "\(errors)")
        #expect(errors.contains("\nwarning: A lamp outlived\n  its screen.\n"), "\(errors)")
    }

    @Test("In a pipe messages and drawings are not wrapped")
    func pipe() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try await printLongReplies(isTerminal: false)
        }

        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(output.contains("for.\nAnd no more.\n\nA drawing as wide as a wall\n"), "\(output)")
        #expect(
            errors.contains(
                "error: The name of the lamp is longer than a shelf.\n"
                    + "  hint: Type lamps create --name 'A lamp'\n"
                    + "warning: The name of the lamp is longer than a shelf.\n"),
            "\(errors)")
        #expect(errors.contains("\nwarning: A lamp outlived its screen.\n"), "\(errors)")
    }
}
