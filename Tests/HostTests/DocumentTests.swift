import Foundation
import Testing

/// Compares the documents with the code.
@Suite struct DocumentTests {
    @Test("Names, code and links in the documents exist")
    func documents() throws {
        let run = try ProgramRun.script("Tests/Checklist/documents.py")

        #expect(run.status == 0, "\(run.output)")
    }

    @Test("DocC builds the pages and the documentation comments without a warning")
    func site() throws {
        let modules = Project.debug.appending(path: "Modules")

        let run = try ProgramRun.script("Docs/site.py", [modules.path])

        #expect(run.status == 0, "\(run.output)")
    }

    /// `ATRIUM_REWRITE_DOCUMENTS=1` writes what was printed into the pages and still fails, as for transcripts.
    @Test("The shell lines of the documents print what the documents say")
    func shellLines() throws {
        let run = try ProgramRun.script("Tests/Documents/sessions.py")

        #expect(run.status == 0, "\(run.output)")
    }

    /// `make picture` draws it anew.
    @Test("The picture of a session in README shows what the host prints")
    func picture() throws {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        let committed = Project.root.appending(path: "Docs/pictures/session.svg")
        let played = folder.appending(path: "session.svg")

        let run = try ProgramRun.run(
            "/usr/bin/env",
            [
                "-u", "NO_COLOR", Project.release.appending(path: "atrium").path, "play",
                "Docs/pictures/session.transcript", "--auto", "--config", "modules.json",
                "--svg", played.path,
            ], in: Project.root)

        #expect(run.status == 0, "\(run.output)")
        #expect(try Data(contentsOf: played) == Data(contentsOf: committed), "make picture, and look at it.")
        #expect(try Data(contentsOf: committed).count < 300_000)
    }
}
