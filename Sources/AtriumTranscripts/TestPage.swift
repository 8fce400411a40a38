internal import AtriumText

/// Played transcripts as a page: a line for each file, and below it what differs.
enum TestPage {
    static func html(_ verdicts: [(PlayedTranscript, TranscriptReport.Verdict)], counts: String) -> String {
        var body = ["<p>\(counts.xmlEscaped)</p>"]
        for (played, verdict) in verdicts {
            let (color, word) =
                switch verdict {
                case .passed: ("g", "ok")
                case .updated: ("y", "updated")
                case .failed: ("r", "FAILED")
                }
            let name = "<span class=\"b \(color)\">\(word)</span> \(played.transcript.file.xmlEscaped)"
            let line = "\(name) <span class=\"f\">(\(played.duration.words))</span>"
            guard verdict == .failed else {
                body.append("<p>\(line)</p>")
                continue
            }
            let diff = TranscriptDiff(played).text(TextStyle(isColored: true))
                .split(separator: "\n", omittingEmptySubsequences: false).map { StyledLine(String($0)).html }
            let text = (played.findings.map(\.xmlEscaped) + diff).joined(separator: "\n")
            body.append("<details open><summary>\(line)</summary>\n<pre>\(text)</pre></details>")
        }
        return MarkupStyle.page("atrium test", body)
    }
}
