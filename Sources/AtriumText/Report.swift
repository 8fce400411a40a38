package import AtriumKit
internal import Glibc

/// Prints output other than the results of commands.
@MainActor
package enum Report {
    /// False if colours were refused with `--no-color`.
    package static var allowsColor = true

    /// Prints a text as the result of the host's mode `command`.
    package static func print(_ text: String, of command: String, isJSON: Bool) -> ExitStatus {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let result: JSONObject = ["text": .array(lines.map { .string(String($0)) })]
        do {
            try OutputStream.standardOutput.write(
                isJSON
                    ? JSONObject(command: command, result: result).line
                    : text.isEmpty ? "" : text.printable + "\n")
            try OutputStream.standardOutput.flush()
            return .done
        } catch {
            return failure(error, isJSON: false)
        }
    }

    /// Prints the result of a command that needs no shell, as the shell does.
    package static func print(
        _ content: Content, _ message: String?, of command: String, isJSON: Bool, width: Int = 80
    ) -> ExitStatus {
        let style = TextStyle(isColored: false)
        let printer = ReplyPrinter(isJSON: isJSON, width: { width }, style: style, errorStyle: style)
        do {
            // Users read the sentence, and the rest of the content.
            let output = Reply.Output(message: message, content: content)
            try printer.print(Reply(command: command, outcome: .done(output)))
            try OutputStream.standardOutput.flush()
            return .done
        } catch {
            return failure(error, isJSON: false)
        }
    }

    /// Prints a line about current activity, on standard error.
    package static func note(_ line: String) { try? printer.print(line: line) }

    package static func failure(
        _ error: any Error, of command: String? = nil, isJSON: Bool
    ) -> ExitStatus {
        let explained = ShellError.explain(error)
        if isJSON {
            try? OutputStream.standardOutput.write(JSONObject(command: command, error: explained).line)
            try? OutputStream.standardOutput.flush()
        }
        try? printer.print(explained)
        return ExitStatus(explained)
    }

    /// Prints a problem that does not stop the host.
    package static func warning(_ error: any ExplainedError) { try? printer.print(error, as: "warning") }

    package static func text(ofWarning error: any ExplainedError) -> String {
        printer.text(of: error, as: "warning")
    }

    private static var printer: ReplyPrinter {
        let style = TextStyle(isColored: allowsColor && Terminal.isColored(HostOutput.standardError))
        return ReplyPrinter(
            isJSON: false, width: { 80 }, errorWidth: Terminal.errorWidth, style: style, errorStyle: style)
    }
}
