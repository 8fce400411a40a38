@_spi(Host) internal import AtriumKit
internal import AtriumText

/// Played transcripts in the JUnit XML that continuous-integration servers read.
///
/// One suite with a case for each file; the differences are the text of its failure. It conforms to the
/// schema of Ant's `junitreport` task: https://github.com/windyroad/JUnit-Schema.
struct JUnitReport {
    let start: Timestamp
    let played: [PlayedTranscript]

    var text: String {
        let failures = played.count { !$0.hasPassed }
        let time = played.map(\.duration).reduce(.zero, +).decimal(in: .seconds(1), digits: 3)
        let counts = "tests=\"\(played.count)\" failures=\"\(failures)\" errors=\"0\" time=\"\(time)\""
        let moment = start.description.dropLast()
        let lines =
            [
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites name=\"atrium test\" \(counts)>",
                "  <testsuite name=\"atrium test\" package=\"\" id=\"0\" timestamp=\"\(moment)\" "
                    + "hostname=\"localhost\" skipped=\"0\" \(counts)>",
                "    <properties/>",
            ] + played.flatMap(Self.lines) + [
                "    <system-out/>", "    <system-err/>", "  </testsuite>", "</testsuites>",
            ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(of played: PlayedTranscript) -> [String] {
        var folders = played.transcript.file.split(separator: "/").map(String.init).filter { $0 != "." }
        let name = TranscriptFiles.name(of: folders.popLast() ?? "")
        let attributes =
            "classname=\"\((folders.isEmpty ? "transcripts" : folders.joined(separator: ".")).xmlEscaped)\" "
            + "name=\"\(name.xmlEscaped)\" time=\"\(played.duration.decimal(in: .seconds(1), digits: 3))\""
        guard !played.hasPassed else { return ["    <testcase \(attributes)/>"] }
        let text = played.findings.map { $0 + "\n" }.joined() + TranscriptDiff(played).text()
        return [
            "    <testcase \(attributes)>",
            "      <failure type=\"difference\" message=\"\(played.summary.xmlEscaped)\">\(text.xmlEscaped)</failure>",
            "    </testcase>",
        ]
    }
}
