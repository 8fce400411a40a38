internal import AtriumKit
internal import Glibc

/// Prints what concerns the host as a whole, before there is a shell.
@MainActor
package enum Report {
    /// Prints a text on standard output.
    package static func print(_ text: String) -> ExitStatus {
        do {
            try OutputStream.standardOutput.write(text + "\n")
            try OutputStream.standardOutput.flush()
            return .done
        } catch {
            return failure(error, isJSON: false)
        }
    }

    /// Tells why the host did not start.
    package static func failure(_ error: any Error, isJSON: Bool) -> ExitStatus {
        let explained = UnexplainedError.explain(error)
        if isJSON {
            let object: JSONObject = ["command": .null, "ok": false, "error": .object(explained.json)]
            try? OutputStream.standardOutput.write(JSONValue.object(object).serialized + "\n")
            try? OutputStream.standardOutput.flush()
        }
        let isColored = isatty(2) == 1 && getenv("NO_COLOR") == nil
        let style = TextStyle(isColored: isColored)
        let printer = ReplyPrinter(
            isJSON: false, width: { 80 }, errorWidth: Terminal.errorWidth, style: style, errorStyle: style)
        try? printer.print(explained)
        return ExitStatus(explained)
    }
}
