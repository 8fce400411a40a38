package import AtriumKit
internal import AtriumRuntime
internal import Glibc

/// Prints what is not the result of a command.
@MainActor
package enum Report {
    /// Prints lines as the result of the host's mode `command`.
    package static func print(_ lines: [String], of command: String, isJSON: Bool) -> ExitStatus {
        let result: JSONObject = ["text": .array(lines.map { .string($0) })]
        do {
            try OutputStream.standardOutput.write(
                isJSON
                    ? JSONObject(command: command, result: result).line
                    : lines.map { $0.printable + "\n" }.joined())
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
            // People read the sentence, and what else there is to say.
            let output = Reply.Output(message: message, content: content)
            try printer.print(Reply(command: command, outcome: .done(output)))
            try OutputStream.standardOutput.flush()
            return .done
        } catch {
            return failure(error, isJSON: false)
        }
    }

    /// Prints what the check of a module came to.
    package static func print(
        _ report: ConformanceReport, version: String, isJSON: Bool
    ) -> ExitStatus {
        guard !report.findings.isEmpty else {
            return print(
                report.content, "Module '\(report.module)' \(version) conforms.", of: "verify", isJSON: isJSON
            )
        }
        let problems = report.findings.count == 1 ? "1 problem" : "\(report.findings.count) problems"
        let error = ShellError(
            "notConforming", "Module '\(report.module)' \(version) has \(problems).", category: .module,
            details: report.content)
        let style = TextStyle(isColored: false)
        let printer = ReplyPrinter(isJSON: isJSON, width: { 80 }, style: style, errorStyle: style)
        do {
            try printer.print(Reply(command: "verify", outcome: .failed(error)))
            try OutputStream.standardOutput.flush()
            return ExitStatus(error)
        } catch {
            return failure(error, isJSON: false)
        }
    }

    /// Prints a line about what goes on, on standard error.
    package static func note(_ line: String) { try? printer.print(line: line) }

    package static func failure(_ error: any Error, isJSON: Bool) -> ExitStatus {
        let explained = ShellError.explain(error)
        if isJSON {
            try? OutputStream.standardOutput.write(JSONObject(command: nil, error: explained).line)
            try? OutputStream.standardOutput.flush()
        }
        try? printer.print(explained)
        return ExitStatus(explained)
    }

    /// Prints what a person should know although the host goes on.
    package static func warning(_ error: any ExplainedError) { try? printer.print(error, as: "warning") }

    /// The same as ``warning(_:)`` prints.
    static func text(ofWarning error: any ExplainedError) -> String { printer.text(of: error, as: "warning") }

    private static var printer: ReplyPrinter {
        let style = TextStyle(isColored: Terminal.isColored(HostOutput.standardError))
        return ReplyPrinter(
            isJSON: false, width: { 80 }, errorWidth: Terminal.errorWidth, style: style, errorStyle: style)
    }
}

/// The exit codes of the host, as documented in `--help`; `exit N` has any other.
package struct ExitStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let done = ExitStatus(rawValue: 0)
    package static let failed = ExitStatus(rawValue: 1)
    package static let usage = ExitStatus(rawValue: 2)
    package static let module = ExitStatus(rawValue: 3)
    package static let refused = ExitStatus(rawValue: 4)
    package static let cancelled = ExitStatus(rawValue: 130)

    package init(_ error: any ExplainedError) {
        switch error.category {
        case .failure, .validation: self = .failed
        case .usage: self = .usage
        case .module: self = .module
        case .refused: self = .refused
        case .cancelled: self = .cancelled
        }
    }

    static func category(of status: ExitStatus) -> ErrorCategory {
        switch status {
        case .usage: .usage
        case .module: .module
        case .refused: .refused
        case .cancelled: .cancelled
        default: .failure
        }
    }
}
