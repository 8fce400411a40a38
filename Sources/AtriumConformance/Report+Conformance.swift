internal import AtriumKit
package import AtriumText

extension Report {
    /// Prints the result of checking a module.
    package static func print(
        _ report: ConformanceReport, version: String, isJSON: Bool
    ) -> ExitStatus {
        guard !report.findings.isEmpty else {
            return print(
                report.content, "Module '\(report.module)' \(version) conforms.", of: "verify", isJSON: isJSON
            )
        }
        let problems = RecordNoun("problem").counted(report.findings.count)
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
}
