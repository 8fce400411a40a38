package import AtriumKit

package struct Reply {
    /// Without secrets.
    package let command: String
    package let outcome: Outcome
    package var endsSession = false
    /// The error for a program if the action is not done yet; users see the screen that it waits for.
    package var deferred: (any ExplainedError)?
    /// The refusal of its link if a guard shows another screen instead.
    package var redirect: (any ExplainedError)?

    package init(command: String, outcome: Outcome, endsSession: Bool = false) {
        (self.command, self.outcome, self.endsSession) = (command, outcome, endsSession)
    }

    package enum Outcome {
        case done(Output)
        case failed(any ExplainedError)
    }

    package var hasFailed: Bool { if case .failed = outcome { true } else { false } }

    /// The commands that made changes: this one, and those that continued with it.
    package var changes: [String] { if case .done(let output) = outcome { output.changes } else { [] } }

    package struct Output {
        package var message: String?
        package var content: Content?
        /// The link of the screen that it shows; nil for the result of a command.
        package var link: String?
        /// The output that the command wrote to standard output, instead of content.
        package var files: StandardFiles?
        /// The commands that made changes, without secrets.
        package var changes: [String] = []
        /// The command that asks, if this output is its question.
        package var asking: String?

        package init(message: String? = nil, content: Content? = nil, files: StandardFiles? = nil) {
            (self.message, self.content, self.files) = (message, content, files)
        }

        /// The error for a program while the question is unanswered; nil for a result.
        package var notDone: ShellError? {
            asking.map { name in
                ShellError(
                    "deferred", "'\(name)' is not done yet: it asks a question first.",
                    hint: "Answer it, or leave it unanswered: back", category: .refused, details: content)
            }
        }

        /// The result for a line of `--json`.
        package var json: JSONObject {
            var result = content?.json ?? JSONObject()
            if let message { result["message"] = .string(message) }
            if let link, result["link"] == nil { result["link"] = .string(link) }
            return result
        }

        /// The printed text, with the message as it is, or wrapped to lines of `width`.
        package func text(_ renderer: TextRenderer, wrappingTo width: Int? = nil) -> String {
            let body = content.map(renderer.render) ?? ""
            guard var message = message?.printable else { return body }
            if let width { message = TextWidth.wrapped(message, to: width).joined(separator: "\n") }
            return body.isEmpty ? message + "\n" : message + "\n\n" + body
        }
    }
}

/// Prints results on standard output and errors on standard error; with `--json`, an object per line.
@MainActor
package final class ReplyPrinter {
    package let isJSON: Bool
    private let output: OutputStream
    private let errors: OutputStream
    /// The destination of failed replies as JSON: a file that takes results does not get them.
    private let failures: OutputStream
    let width: @MainActor () -> Int
    /// True if results go to a terminal, and are cut to its width; programs get whole lines.
    private let isTerminal: Bool
    /// The width for errors; nil if they do not go to a terminal.
    private let errorWidth: (@MainActor () -> Int)?
    let style: TextStyle
    let errorStyle: TextStyle
    /// True if a blank line separates replies.
    private let separatesReplies: Bool
    private var hasPrinted = false
    /// The time to which times are relative on a terminal; nil to print them exactly, as for programs.
    package var now: @MainActor () -> Timestamp? = { nil }
    /// The most lines of a reply on a terminal with few rows; nil for no limit.
    package var room: @MainActor () -> Int? = { nil }

    package init(
        isJSON: Bool, width: @escaping @MainActor () -> Int, isTerminal: Bool = false,
        errorWidth: (@MainActor () -> Int)? = nil, style: TextStyle, errorStyle: TextStyle,
        separatesReplies: Bool = false, output: OutputStream = .standardOutput,
        errors: OutputStream = .standardError, failures: OutputStream? = nil
    ) {
        self.failures = failures ?? output
        self.isJSON = isJSON
        self.output = output
        self.errors = errors
        self.width = width
        self.isTerminal = isTerminal
        self.errorWidth = errorWidth
        self.style = style
        self.errorStyle = errorStyle
        self.separatesReplies = separatesReplies
    }

    package func flush() throws(ShellError) { try output.flush() }

    /// Records that the output did not arrive.
    package func fail(_ error: ShellError) throws(ShellError) { try output.fail(error) }

    /// A printer with results elsewhere than on the screen, and errors where this one prints them.
    package func redirected(to output: OutputStream, isJSON: Bool) -> ReplyPrinter {
        ReplyPrinter(
            isJSON: isJSON, width: width, errorWidth: errorWidth, style: TextStyle(isColored: false),
            errorStyle: errorStyle, separatesReplies: true, output: output, errors: errors, failures: failures
        )
    }

    /// A printer with results where this one prints them, as lines of JSON.
    package func inJSON() -> ReplyPrinter {
        isJSON
            ? self
            : ReplyPrinter(
                isJSON: true, width: width, errorWidth: errorWidth, style: TextStyle(isColored: false),
                errorStyle: errorStyle, output: output, errors: errors, failures: failures)
    }

    package func print(_ line: JSONObject) throws(ShellError) { try output.write(line.line) }

    package func print(_ reply: Reply) throws(ShellError) {
        if isJSON {
            try (reply.hasFailed ? failures : output).write(json(of: reply).line)
            return
        }
        switch reply.outcome {
        case .done(let output):
            let text = text(of: output)
            if !text.isEmpty { try print(result: text) }
        case .failed(let error):
            if let details = (error as? any DetailedError)?.details {
                try print(result: renderer.render(details))
            }
            try print(error)
        }
    }

    /// Prints output that a command wrote itself.
    package func print(text: String) throws(ShellError) { try output.write(text) }

    /// Prints an error that is not caused by a command.
    package func print(failure error: any ExplainedError) throws(ShellError) {
        if isJSON { try? output.write(JSONObject(command: nil, error: error).line) }
        try print(error)
    }

    private func print(result text: String) throws(ShellError) {
        try output.write(hasPrinted && separatesReplies ? "\n" + text : text)
        hasPrinted = true
    }

    /// Prints an error on standard error, after all earlier output.
    package func print(_ error: any ExplainedError, as word: String = "error") throws(ShellError) {
        // An error of standard output itself is printed anyway.
        if ![.outputClosed, .outputFailed].contains(error.code) { try output.flush() }
        try errors.write(text(of: error, as: word) + "\n")
        try errors.flush()
    }

    func text(of error: any ExplainedError, as word: String) -> String {
        let paint = word == "error" ? errorStyle.red : errorStyle.yellow
        var lines = errorLines(word + ":", error.message, paint: paint)
        if let hint = error.hint {
            lines += errorLines("hint:", hint, margin: "  ", keepsQuotations: true, paint: errorStyle.faint)
        }
        return lines.joined(separator: "\n")
    }

    package func print(line: String) throws(ShellError) {
        try output.flush()
        let text = line.printableLine
        let lines = errorWidth.map { TextWrapper(width: $0(), indent: 2).lines(of: text) } ?? [text]
        try errors.write(lines.joined(separator: "\n") + "\n")
        try errors.flush()
    }

    private func errorLines(
        _ word: String, _ text: String, margin: String = "", keepsQuotations: Bool = false,
        paint: (String) -> String
    ) -> [String] {
        guard let width = errorWidth?() else { return ["\(margin)\(paint(word)) \(text.printable)"] }
        return TextRenderer(width: width - margin.count, style: errorStyle)
            .lines(word, text, keepsQuotations: keepsQuotations, paint: paint)
            .map { margin + $0 }
    }

    private var renderer: TextRenderer {
        TextRenderer(width: width(), style: style, cutsVerbatim: isTerminal, now: isTerminal ? now() : nil)
    }

    /// The whole text, however long it is.
    package func wholeText(of output: Reply.Output) -> String {
        output.text(renderer, wrappingTo: isTerminal ? width() : nil)
    }

    /// The text, shortened where there is little room.
    package func text(of output: Reply.Output) -> String {
        let text = wholeText(of: output)
        guard let room = room(), let content = output.content,
            text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) > room
        else { return text }
        var lines = output.message.map { TextWidth.wrapped($0.printable, to: width()) } ?? []
        lines += renderer.shortLines(of: content)
        if lines.count > room {
            let rest = lines.count - room + 1
            lines.removeLast(rest)
            lines.append(TextWidth.truncated("… \(rest) more; enlarge the window", to: width()))
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func json(of reply: Reply) -> JSONObject {
        if let error = reply.deferred { return JSONObject(command: reply.command, error: error) }
        switch reply.outcome {
        case .done(let output): return JSONObject(command: reply.command, result: output.json)
        case .failed(let error): return JSONObject(command: reply.command, error: error)
        }
    }
}

/// The lines of `--json`, all with the same structure: see Docs/json.md.
extension JSONObject {
    package init(command: String, result: JSONObject) {
        self = ["command": .string(command), "ok": true, "result": .object(result)]
    }

    /// The line of an error, without `command` if the host failed before it ran one.
    package init(command: String?, error: any ExplainedError) {
        self = [
            "command": command.map { .string($0) } ?? .null, "ok": false, "error": .object(error.json),
        ]
    }

    /// The object on a line; characters that would control a terminal are escaped.
    package var line: String {
        let text = JSONValue.object(self).serialized
        guard !text.utf8.allSatisfy({ $0 < 0x7F }), text.unicodeScalars.contains(where: \.isControl) else {
            return text + "\n"
        }
        var line = ""
        for scalar in text.unicodeScalars {
            // Control characters occur only inside strings, and all escapes have four digits.
            if scalar.isControl {
                let digits = String(scalar.value, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return line + "\n"
    }
}

extension Content {
    /// A collection without rows, which is invisible to users.
    package static var noRows: Content { Content { Verbatim("rows", [], value: .array([])) } }
}

extension ExplainedError {
    package var json: JSONObject {
        [
            "code": .string(code.rawValue), "message": .string(message),
            "hint": hint.map { .string($0) } ?? .null,
            "details": .object((self as? any DetailedError)?.details?.json ?? findingsInJSON),
        ]
    }

    /// The violated rules in the error or its causes, as rows with their field names; else no member.
    private var findingsInJSON: JSONObject {
        var next: (any ExplainedError)? = self
        // An error may be its own cause.
        for _ in 0..<8 {
            guard let error = next else { break }
            let findings =
                (error as? ValidationError)?.findings ?? (error as? APIError)?.problem?.findings ?? []
            if !findings.isEmpty { return ["rows": .array(findings.map { .object($0.json) })] }
            next = error.cause as? any ExplainedError
        }
        return JSONObject()
    }
}

extension ValidationFinding {
    fileprivate var json: JSONObject {
        var json: JSONObject = ["field": field.map { .string($0) } ?? .null, "message": .string(message)]
        if let line { json["line"] = .integer(Int64(line)) }
        if let column { json["column"] = .integer(Int64(column)) }
        return json
    }
}
