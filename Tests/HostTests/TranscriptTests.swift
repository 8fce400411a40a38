import Foundation
import Testing

/// Plays the stories in `Tests/Transcripts` with `atrium test` of the built host.
///
/// `ATRIUM_TRANSCRIPT=first-run` plays one of them. `ATRIUM_REWRITE_TRANSCRIPTS=1` writes the actual output
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
        let path = "Tests/Transcripts/\(file)"
        let rewrites = ProcessInfo.processInfo.environment["ATRIUM_REWRITE_TRANSCRIPTS"] == "1"
        let definitions = [
            ("ROOT", Project.root), ("BUILD", Project.release), ("TESTS", Project.debug),
        ].flatMap { ["--define", "\($0)=\($1.path)"] }

        let run = try ProgramRun.run(
            Project.release.appending(path: "atrium").path,
            ["test", path, "--config", "modules.json", "--timeout", "600"] + definitions
                + (rewrites ? ["--update"] : []), in: Project.root)

        let agrees = run.status == 0 && run.output.hasPrefix("ok ")
        #expect(agrees, "\(run.output)")
    }
}
