package import AtriumKit
internal import Glibc

/// Prints what is not the result of a command.
@MainActor
package enum Report {
    package static func print(_ text: String) -> ExitStatus {
        do {
            try OutputStream.standardOutput.write(text + "\n")
            try OutputStream.standardOutput.flush()
            return .done
        } catch {
            return failure(error, isJSON: false)
        }
    }

    package static func failure(_ error: any Error, isJSON: Bool) -> ExitStatus {
        let explained = ShellError.explain(error)
        if isJSON {
            let object: JSONObject = ["command": .null, "ok": false, "error": .object(explained.json)]
            try? OutputStream.standardOutput.write(object.line)
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

/// The exit codes of the host, as documented in `--help`.
package enum ExitStatus: Int32, Sendable {
    case done = 0
    case failed = 1
    case usage = 2
    case module = 3
    case refused = 4
    case cancelled = 130

    package init(_ error: any ExplainedError) {
        switch error.category {
        case .failure, .validation: self = .failed
        case .usage: self = .usage
        case .module: self = .module
        case .refused: self = .refused
        case .cancelled: self = .cancelled
        }
    }
}
