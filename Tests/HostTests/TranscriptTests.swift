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

    @Test("There are at most 60 host commands, and each is typed in a transcript")
    func commands() throws {
        guard ProcessInfo.processInfo.environment["ATRIUM_TRANSCRIPT"] == nil else { return }
        let help = try HostSite().run("help").replies[0].rows("rows")
        let names = help.compactMap { $0["name"] as? String }
        let lines = try Self.files.flatMap { file in
            let path = Project.root.appending(path: "Tests/Transcripts/\(file)")
            return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").filter {
                $0.hasPrefix("$ ") || $0.hasPrefix("> ")
            }
        }

        #expect((40...60).contains(names.count), "\(names)")
        for name in names {
            let command = try Regex("(^> |[;'\"] ?|[0-9=] |time )\(name)(?![\\w-])")
            #expect(lines.contains { $0.contains(command) }, "\(name)")
        }
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
