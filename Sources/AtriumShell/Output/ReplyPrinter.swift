internal import AtriumKit

struct Reply {
    /// Without secrets.
    let command: String
    let outcome: Outcome
    var endsSession = false

    enum Outcome {
        case done(Output)
        case failed(any ExplainedError)
    }

    struct Output {
        var message: String?
        var content: Content?
    }
}

/// Prints results on standard output and errors on standard error; with `--json` an object a line.
@MainActor
final class ReplyPrinter {
    let isJSON: Bool
    let width: @MainActor () -> Int
    /// Whether results go to a terminal, and are cut to its width; programs get whole lines.
    private let isTerminal: Bool
    /// The width of errors; nil if they do not go to a terminal.
    private let errorWidth: (@MainActor () -> Int)?
    let style: TextStyle
    let errorStyle: TextStyle
    /// Whether a blank line separates replies.
    private let separatesReplies: Bool
    private var hasPrinted = false

    init(
        isJSON: Bool, width: @escaping @MainActor () -> Int, isTerminal: Bool = false,
        errorWidth: (@MainActor () -> Int)? = nil, style: TextStyle, errorStyle: TextStyle,
        separatesReplies: Bool = false
    ) {
        self.isJSON = isJSON
        self.width = width
        self.isTerminal = isTerminal
        self.errorWidth = errorWidth
        self.style = style
        self.errorStyle = errorStyle
        self.separatesReplies = separatesReplies
    }

    func print(_ reply: Reply) throws(ShellError) {
        if isJSON {
            try OutputStream.standardOutput.write(json(of: reply).line)
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

    private func print(result text: String) throws(ShellError) {
        try OutputStream.standardOutput.write(hasPrinted && separatesReplies ? "\n" + text : text)
        hasPrinted = true
    }

    /// Prints an error on standard error, after what was printed before.
    func print(_ error: any ExplainedError, as word: String = "error") throws(ShellError) {
        // An error of standard output itself is printed all the same.
        if ![.outputClosed, .outputFailed].contains(error.code) { try OutputStream.standardOutput.flush() }
        let paint = word == "error" ? errorStyle.red : errorStyle.yellow
        var lines = errorLines(word + ":", error.message, paint: paint)
        if let hint = error.hint {
            lines += errorLines("hint:", hint, margin: "  ", keepsQuotations: true, paint: errorStyle.faint)
        }
        try OutputStream.standardError.write(lines.joined(separator: "\n") + "\n")
        try OutputStream.standardError.flush()
    }

    func print(line: String) throws(ShellError) {
        try OutputStream.standardOutput.flush()
        let text = line.printableLine
        let lines = errorWidth.map { TextWrapper(width: $0(), indent: 2).lines(of: text) } ?? [text]
        try OutputStream.standardError.write(lines.joined(separator: "\n") + "\n")
        try OutputStream.standardError.flush()
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
        TextRenderer(width: width(), style: style, cutsVerbatim: isTerminal)
    }

    private func text(of output: Reply.Output) -> String {
        let body = output.content.map(renderer.render) ?? ""
        guard var message = output.message?.printable else { return body }
        if isTerminal { message = TextWidth.wrapped(message, to: width()).joined(separator: "\n") }
        return body.isEmpty ? message + "\n" : message + "\n\n" + body
    }

    private func json(of reply: Reply) -> JSONObject {
        var object: JSONObject = ["command": .string(reply.command)]
        switch reply.outcome {
        case .done(let output):
            object["ok"] = true
            var result = output.content?.json ?? JSONObject()
            if let message = output.message { result["message"] = .string(message) }
            object["result"] = .object(result)
        case .failed(let error):
            object["ok"] = false
            object["error"] = .object(error.json)
        }
        return object
    }
}

extension JSONObject {
    /// The object on a line, for programs.
    var line: String { JSONValue.object(self).serialized + "\n" }
}

extension ExplainedError {
    var json: JSONObject {
        var object: JSONObject = [
            "code": .string(code.rawValue), "message": .string(message),
            "hint": hint.map { JSONValue.string($0) } ?? .null,
        ]
        if let details = (self as? any DetailedError)?.details { object["details"] = .object(details.json) }
        return object
    }
}
