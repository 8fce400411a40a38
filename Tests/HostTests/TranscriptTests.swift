import Foundation
import Testing

/// Runs the stories in `Tests/Transcripts` on the built host.
///
/// `ATRIUM_TRANSCRIPT=first-run` runs one of them. `ATRIUM_REWRITE_TRANSCRIPTS=1` writes the actual output
/// into the files and still fails, so that no change passes unread.
@Suite struct TranscriptTests {
    static let files: [String] = {
        let folder = Project.root.appending(path: "Tests/Transcripts").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let only = ProcessInfo.processInfo.environment["ATRIUM_TRANSCRIPT"]
        return names.filter {
            $0.hasSuffix(".transcript") && (only == nil || $0 == "\(only ?? "").transcript")
        }
        .sorted()
    }()

    @Test("There are transcripts and a built host")
    func prerequisites() {
        #expect(!Self.files.isEmpty, "No transcript has the name that ATRIUM_TRANSCRIPT gives.")
        #expect(
            FileManager.default.isExecutableFile(atPath: Project.release.appending(path: "atrium").path),
            "Run 'make build' first.")
    }

    @Test("The output is that of the transcript", arguments: files)
    func play(_ file: String) throws {
        let url = Project.root.appending(path: "Tests/Transcripts/\(file)")
        let text = try String(contentsOf: url, encoding: .utf8)

        let played = try Transcript(text).play()

        if played != text, ProcessInfo.processInfo.environment["ATRIUM_REWRITE_TRANSCRIPTS"] == "1" {
            try played.write(to: url, atomically: true, encoding: .utf8)
        }
        let difference = played.split(separator: "\n", omittingEmptySubsequences: false)
            .difference(from: text.split(separator: "\n", omittingEmptySubsequences: false))
        let report = difference.map { change in
            switch change {
            case .insert(let line, let text, _): "\(file):\(line + 1): printed  \(text)"
            case .remove(let line, let text, _): "\(file):\(line + 1): expected \(text)"
            }
        }
        let agrees = played == text
        #expect(agrees, "\(report.joined(separator: "\n"))")
    }
}
