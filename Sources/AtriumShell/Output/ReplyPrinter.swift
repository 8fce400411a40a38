internal import AtriumKit

/// Prints replies: results on standard output, errors on standard error; with `--json` one object a line on
/// standard output.
@MainActor
final class ReplyPrinter {
    let isJSON: Bool
    /// The width of text, asked for each reply.
    let width: @MainActor () -> Int
    let style: TextStyle
    let errorStyle: TextStyle
    /// Whether replies are set apart by a blank line, as those of a script are.
    private let separatesReplies: Bool
    private var hasPrinted = false

    init(
        isJSON: Bool, width: @escaping @MainActor () -> Int, style: TextStyle, errorStyle: TextStyle,
        separatesReplies: Bool = false
    ) {
        self.isJSON = isJSON
        self.width = width
        self.style = style
        self.errorStyle = errorStyle
        self.separatesReplies = separatesReplies
    }

    /// Prints a reply.
    func print(_ reply: Reply) throws(OutputError) {
        if isJSON {
            try OutputStream.standardOutput.write(JSONValue.object(json(of: reply)).serialized + "\n")
            return
        }
        switch reply.outcome {
        case .done(let output):
            let text = text(of: output)
            guard !text.isEmpty else { return }
            try OutputStream.standardOutput.write(hasPrinted && separatesReplies ? "\n" + text : text)
            hasPrinted = true
        case .failed(let error):
            if let detailed = error as? any DetailedError {
                let details = TextRenderer(width: width(), style: style).render(detailed.details)
                try OutputStream.standardOutput.write(
                    hasPrinted && separatesReplies ? "\n" + details : details)
                hasPrinted = true
            }
            try print(error)
        }
    }

    /// Prints an error as text on standard error, in order with what was printed before.
    func print(_ error: any ExplainedError, as word: String = "error") throws(OutputError) {
        // Where standard output is what failed, the error is told all the same.
        if !(error is OutputError) { try OutputStream.standardOutput.flush() }
        let head = word == "error" ? errorStyle.red("error:") : errorStyle.yellow(word + ":")
        var text = "\(head) \(error.message.printable)\n"
        if let hint = error.hint { text += "  \(errorStyle.faint("hint:")) \(hint.printable)\n" }
        try OutputStream.standardError.write(text)
        try OutputStream.standardError.flush()
    }

    /// Prints a line beside the results, on standard error, in order with what was printed before.
    func print(line: String) throws(OutputError) {
        try OutputStream.standardOutput.flush()
        try OutputStream.standardError.write(line.printableLine + "\n")
        try OutputStream.standardError.flush()
    }

    private func text(of output: Reply.Output) -> String {
        let body = output.content.map { TextRenderer(width: width(), style: style).render($0) } ?? ""
        guard let message = output.message?.printable else { return body }
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

extension ExplainedError {
    /// The error for programs.
    var json: JSONObject {
        var object: JSONObject = [
            "code": .string(code.rawValue), "message": .string(message),
            "hint": hint.map { JSONValue.string($0) } ?? .null,
        ]
        if let detailed = self as? any DetailedError { object["details"] = .object(detailed.details.json) }
        return object
    }
}
