@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumText

extension PlayedTranscript {
    /// The problems, a line each, with the file and the line number.
    var findings: [String] {
        (problem.map { ["\(transcript.file): \($0)"] } ?? [])
            + failures.map { step in
                let location = "\(transcript.file):\(step.step.number)"
                return "\(location): \(step.problem ?? "the output of '\(step.step.typed[0])' differs")"
            }
    }

    /// The problems in one sentence.
    var summary: String {
        let count = failures.count
        let lines =
            count == 1
            ? "1 of \(transcript.steps.count) lines fails"
            : "\(count) of \(transcript.steps.count) lines fail"
        let first = failures.first.map { ", the first is line \($0.step.number) of the file" } ?? ""
        return lines + first
    }

    /// One row for each failing line.
    fileprivate var rows: JSONValue {
        .array(
            failures.map { step in
                .object([
                    "line": .integer(Int64(step.step.number)), "typed": .string(step.step.input),
                    "message": step.problem.map { .string($0) } ?? .null,
                    "expected": .array(step.step.expected.map { .string($0) }),
                    "printed": .array(step.output.map { .string($0) }),
                ])
            })
    }

    fileprivate var seconds: JSONValue { .number(Double(duration.wholeMilliseconds) / 1_000) }
}

/// Prints the results of playing transcripts: a line for each file, the differences, and the counts.
@MainActor
struct TranscriptReport {
    let isJSON: Bool
    let style: TextStyle
    private let output = OutputStream.standardOutput

    /// The result of a file.
    enum Verdict {
        case passed, failed, updated
    }

    func print(_ played: PlayedTranscript, _ verdict: Verdict) throws {
        if isJSON { return try output.write(json(played, verdict).line) }
        let (name, time) = (played.transcript.file.printableLine, style.faint("(\(played.duration.words))"))
        switch verdict {
        case .passed: try output.write("\(style.green("ok"))      \(name) \(time)\n")
        case .updated: try output.write("\(style.yellow("updated")) \(name) \(time)\n")
        case .failed:
            try output.write("\(style.red("FAILED"))  \(name) \(time)\n")
            for finding in played.findings { try output.write("\(finding.printable)\n") }
            try output.write(TranscriptDiff(played).text(style))
        }
        try output.flush()
    }

    private func json(_ played: PlayedTranscript, _ verdict: Verdict) -> JSONObject {
        let command = "test \(Quoting.quote(played.transcript.file))"
        guard verdict != .failed else {
            let error = ShellError(
                "transcriptFailed", "'\(played.transcript.file)' fails: \(played.summary).",
                hint: played.problem
                    ?? "Accept what was printed: atrium test --update \(Quoting.quote(played.transcript.file))",
                details: Content {
                    Verbatim("rows", [], value: played.rows)
                    Verbatim("diff", [], value: .string(TranscriptDiff(played).text()))
                })
            return JSONObject(command: command, error: error)
        }
        return JSONObject(
            command: command,
            result: [
                "file": .string(played.transcript.file), "lines": .integer(Int64(played.steps.count)),
                "seconds": played.seconds, "updated": .bool(verdict == .updated), "rows": .array([]),
            ])
    }

    /// The number of files with each result: `4 passed, 1 failed`.
    func counts(_ verdicts: [(PlayedTranscript, Verdict)]) -> String {
        let counts = [("passed", Verdict.passed), ("updated", .updated), ("failed", .failed)].compactMap {
            word, kind in
            let count = verdicts.count { $0.1 == kind }
            return count > 0 || kind == .passed ? "\(count) \(word)" : nil
        }
        return counts.joined(separator: ", ")
    }

    /// Prints the closing line.
    func printCounts(_ verdicts: [(PlayedTranscript, Verdict)]) throws {
        let message = counts(verdicts)
        guard isJSON else {
            try output.write("\(message)\n")
            return try output.flush()
        }
        let rows = JSONValue.array(
            verdicts.map { played, verdict in
                .object([
                    "file": .string(played.transcript.file), "state": .string("\(verdict)"),
                    "seconds": played.seconds,
                ])
            })
        if verdicts.contains(where: { $0.1 == .failed }) {
            let error = ShellError(
                "transcriptsFailed", "\(message).", details: Content { Verbatim("rows", [], value: rows) })
            try output.write(JSONObject(command: "test", error: error).line)
        } else {
            try output.write(
                JSONObject(command: "test", result: ["rows": rows, "message": .string("\(message).")]).line)
        }
        try output.flush()
    }
}
