import Foundation
import Testing

@Suite("A package that is developed in a running host")
struct DevelopmentTests {
    private let site: HostSite
    private let package: URL

    init() throws {
        site = try HostSite()
        let folder = site.folder.appending(path: "my modules")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        package = folder.appending(path: "Notes")
        let made = try ProgramRun.run(
            Project.release.appending(path: "atrium").path, ["new", "Notes", "--path", folder.path])
        try #require(made.status == 0, "\(made.output)")
        // A long path may go on in the next line.
        let words = made.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.hasSuffix("Next atrium dev '\(package.path)'"), "\(made.output)")
    }

    private func develop(_ folders: String...) throws -> HostProcess {
        try HostProcess(
            site,
            arguments: [
                "--json", "--config", site.folder.appending(path: "modules.json").path, "dev",
            ] + folders, seconds: 240)
    }

    /// Replaces a text of the view, as an editor does: by another file.
    private func edit(_ text: String, _ other: String) throws {
        let view = package.appending(path: "Sources/Notes/View/NotesView.swift")
        let source = try String(contentsOf: view, encoding: .utf8)
        try #require(source.contains(text))
        try source.replacing(text, with: other).write(to: view, atomically: true, encoding: .utf8)
    }

    /// Runs `atrium dev --debug` with a script in place of LLDB.
    private func debug(_ script: String?) throws -> ProgramRun {
        let programs = site.folder.appending(path: "programs")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        if let script {
            let file = programs.appending(path: "lldb")
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        return try ProgramRun.run(
            Project.release.appending(path: "atrium").path,
            ["--env", "mock", "dev", "--debug", package.path],
            environment: ["PATH": programs.path])
    }

    @Test("With --debug LLDB has the host to run, without a parent process that would start it again")
    func debugger() throws {
        let run = try debug(#"[ "$1" = --version ] || printf '%s\n' "$@""#)

        let host = Project.release.resolvingSymlinksInPath().appending(path: "atrium").path
        let quiet = "process handle SIGCHLD --notify false --pass true --stop false"
        let words = ["-o", quiet, "--", host, "--no-supervisor", "--env", "mock", "dev", package.path]
        #expect(run.output.hasSuffix(words.map { $0 + "\n" }.joined()))
        #expect(run.output.hasPrefix("Type 'run' to start the host"))
        #expect(run.status == 0)
    }

    @Test("Without an LLDB that starts, the error has its reason and the command for gdb")
    func noDebugger() throws {
        let missing = try debug(nil)
        let broken = try debug("echo 'a library is missing' >&2; exit 127")

        let path = Project.release.resolvingSymlinksInPath().appending(path: "atrium").path
        let host = path.contains(" ") ? "'\(path)'" : path
        let hint = "\n  hint: gdb --args \(host) --no-supervisor --env mock dev '\(package.path)'\n"
        #expect(missing.output.contains("error: There is no 'lldb' in PATH." + hint))
        #expect(broken.output.contains("/lldb' does not start: a library is missing" + hint))
        #expect(missing.status != 0 && broken.status != 0)
    }

    @Test("A saved change is on the screen, an error is told with its line, and commands work meanwhile")
    func edits() throws {
        let host = try develop(package.path)
        #expect(try host.nextReply().text.contains("Hello, world."))

        try edit("Text(viewModel.greeting)", "Title(\"My notes\")")
        let changed = try host.nextReply()
        #expect(changed["title"] == "My notes" && changed.command == "dev", "\(changed.text)")

        try edit("Title(\"My notes\")", "nonsense()")
        try host.waitForError("error: ")
        #expect(try host.ask("where")["link"] == "notes")

        // A file that is new in a folder that is new.
        let folder = package.appending(path: "Sources/Notes/View/Titles")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("import AtriumKit\n\nfunc nonsense() -> Title { Title(\"Mended\") }\n".utf8)
            .write(to: folder.appending(path: "Titles.swift"))
        #expect(try host.nextReply()["title"] == "Mended")

        let run = try host.finish()
        #expect(run.status == 0)
        let lines = run.errors.split(separator: "\n")
        #expect(lines[0] == "Building \(package.path) …")
        #expect(lines[1].hasPrefix("loaded Notes 0.1.0 ("))
        #expect(lines[2].hasPrefix("updated Notes 0.1.0 ("))
        #expect(lines[3].hasPrefix("Sources/Notes/View/NotesView.swift:"))
        #expect(lines[3].hasSuffix(": error: cannot find 'nonsense' in scope"))
        #expect(lines[4].hasPrefix("updated Notes 0.1.0 (") && lines.count == 5, "\(run.errors)")
    }

    @Test("Two packages are developed in one host, with the data folder of the first")
    func two() throws {
        let folder = package.deletingLastPathComponent()
        let other = folder.appending(path: "Jots")
        let made = try ProgramRun.run(
            Project.release.appending(path: "atrium").path, ["new", "Jots", "--path", folder.path])
        try #require(made.status == 0, "\(made.output)")

        let host = try develop(package.path, other.path)
        #expect(try host.nextReply().text.contains("Hello, world."))
        #expect(try host.ask("jots").text.contains("Hello, world."))
        #expect(try host.ask("where")["link"] == "notes")
        try edit("Text(viewModel.greeting)", "Title(\"My notes\")")
        #expect(try host.nextReply()["title"] == "My notes")

        let run = try host.finish()
        let lines = run.errors.split(separator: "\n")
        #expect(lines[0] == "Building \(package.path) …")
        #expect(lines[1].hasPrefix("loaded Notes 0.1.0 ("))
        #expect(lines[2] == "Building \(other.path) …")
        #expect(lines[3].hasPrefix("loaded Jots 0.1.0 ("))
        #expect(lines[4].hasPrefix("updated Notes 0.1.0 (") && lines.count == 5, "\(run.errors)")
        let data = [package, other].map { $0.appending(path: ".build/atrium/host.lock").path }
        #expect(data.map(FileManager.default.fileExists) == [true, false])
    }

    @Test("What can't be built at first is told, and loaded and opened once it can be")
    func brokenFirst() throws {
        try edit("Text(viewModel.greeting)", "nonsense()")
        let host = try develop(package.path)
        #expect(try host.ask("where")["link"] == "home")
        #expect(host.errorText.contains(": error: cannot find 'nonsense' in scope"))

        try edit("nonsense()", "Title(\"My notes\")")

        #expect(try host.nextReply()["title"] == "My notes")
        #expect(try host.ask("where")["link"] == "notes")
    }

    @Test(
        "A folder that is no package is refused, and nothing is made in it",
        arguments: ["", "nowhere", "Notes/Package.swift"])
    func noPackage(_ name: String) throws {
        let path = site.folder.appending(path: name).path
        let before = try FileManager.default.subpathsOfDirectory(atPath: site.folder.path)

        let run = try ProgramRun.run(Project.release.appending(path: "atrium").path, ["dev", path])

        #expect(
            run.output.contains("'\(path)' is not the folder of a Swift package: it has no Package.swift."),
            "\(run.output)")
        #expect(run.status != 0)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: site.folder.path) == before)
    }
}
