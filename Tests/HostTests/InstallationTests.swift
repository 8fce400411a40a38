import Foundation
import Testing

/// Installs the built host into a folder of its own, and makes a module with it as somebody without this project.
@Suite("The installed host and its SDK", .serialized)
final class InstallationTests {
    private let folder: URL
    private let prefix: URL

    init() throws {
        folder = try Project.temporaryFolder()
        prefix = folder.appending(path: "prefix")
    }

    deinit {
        Project.remove(folder)
    }

    private func script(_ name: String, _ arguments: String...) throws -> ProgramRun {
        try ProgramRun.run(
            Project.root.appending(path: "Sources/atrium/Installed/\(name)").path, arguments, in: folder)
    }

    private func install() throws {
        let run = try script(
            "install", Project.host.path, Project.sdk.path, "", prefix.path)
        #expect(
            run.output == "Installed atrium in \(prefix.path). 'atrium --paths' says where its parts are.\n")
        #expect(run.status == 0)
    }

    /// Runs a program that finds nothing of this project but what is installed.
    private func run(_ program: String, _ arguments: String...) throws -> ProgramRun {
        let program = program == "atrium" ? prefix.appending(path: "bin/atrium").path : program
        return try ProgramRun.run(
            "/usr/bin/env", ["-u", "ATRIUM_SDK", "-u", "LD_LIBRARY_PATH", program] + arguments, in: folder,
            environment: ["XDG_STATE_HOME": folder.path])
    }

    @Test("Its parts are found from anywhere, and nothing of the project is loaded")
    func parts() throws {
        try install()

        let paths = try run("atrium", "--paths").output.split(separator: "\n").map {
            $0.split(separator: " ", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        }

        #expect(
            paths == [
                ["Executable", "\(prefix.path)/bin/atrium"],
                ["Modules", "\(prefix.path)/lib/atrium/modules"],
                ["Configuration", "\(prefix.path)/share/atrium/modules.json"],
                ["SDK", "\(prefix.path)/share/atrium/sdk"], ["Data", "\(folder.path)/atrium"],
            ])
        let libraries = try ProgramRun.run(
            "/usr/bin/ldd", [prefix.appending(path: "bin/atrium").path], environment: ["LD_LIBRARY_PATH": ""])
        let swift = libraries.output.split(separator: "\n").filter {
            $0.contains("libswift") || $0.contains("Atrium")
        }
        #expect(swift.count > 5)
        #expect(swift.allSatisfy { $0.contains("\(prefix.path)/bin/../lib/atrium/") }, "\(swift)")
        #expect(!libraries.output.contains("not found"))
        let modules = try run("atrium", "--json", "-c", "modules").output
        #expect(modules.components(separatedBy: #""state":"active""#).count == 4, "\(modules)")
    }

    @Test("A new module builds, passes its tests and runs, with the installed SDK alone")
    func newModule() throws {
        try install()

        let made = try run("atrium", "new", "Notes")
        let built = try run("swift", "build", "-c", "release", "--package-path", "Notes")
        let tested = try run("swift", "test", "--disable-xctest", "--package-path", "Notes")
        let shown = try run("atrium", "-c", "module add Notes; notes; notes greet Ada")

        #expect(made.status == 0, "\(made.output)")
        #expect(built.status == 0, "\(built.output)")
        #expect(tested.output.contains("Test run with 3 tests in 1 suite passed"), "\(tested.output)")
        #expect(
            shown.output.contains("Loaded Notes 0.1.0.\n\nHello, world.\n\nHello, Ada.\n"),
            "\(shown.output)")
        let files = try FileManager.default.subpathsOfDirectory(atPath: "\(folder.path)/Notes/.build")
        let rebuilt = files.filter { $0.contains("/ModuleCache/Atrium") }
        #expect(rebuilt == [], "The compiler did not take the compiled modules of the SDK.")
        try expectOneCompilation()
        try expectNamedCrash()
        let again = try run("atrium", "new", "Notes")
        #expect(again.status == 2)
        #expect(again.output.contains("is there already; nothing was changed."))
        let module = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/Notes/Package.swift")
        #expect((module[.posixPermissions] as? Int).map { $0 & 0o444 } == 0o444, "Sources are not private.")
    }

    /// Changes a line of a view, and looks at what a build compiles again.
    private func expectOneCompilation() throws {
        let view = folder.appending(path: "Notes/Sources/Notes/View/NotesView.swift")
        let source = try String(contentsOf: view, encoding: .utf8)
        try #require(source.contains("Text(viewModel.greeting)"))

        try source.replacing("Text(viewModel.greeting)", with: "Text(\"- \" + viewModel.greeting)")
            .write(to: view, atomically: true, encoding: .utf8)
        let built = try run("swift", "build", "--package-path", "Notes")

        #expect(built.status == 0, "\(built.output)")
        let compiled = built.output.matches(of: /Compiling Notes (\S+)/).map { String($0.output.1) }
        #expect(compiled == ["NotesView.swift"], "\(built.output)")
        try source.write(to: view, atomically: true, encoding: .utf8)
    }

    /// Lets the module crash, and looks at the report of the next start.
    private func expectNamedCrash() throws {
        let viewModel = folder.appending(path: "Notes/Sources/Notes/ViewModel/NotesViewModel.swift")
        let source = try String(contentsOf: viewModel, encoding: .utf8)
        let broken = source.replacing(
            "let guest = ", with: "UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1; let guest = ")
        try broken.write(to: viewModel, atomically: true, encoding: .utf8)

        let crashed = try run("atrium", "-c", "module add Notes; notes greet Ada")
        let next = try run("atrium", "-c", "modules")

        #expect(crashed.status != 0, "\(crashed.output)")
        let report = "Module 'Notes' (generation 2) crashed: SIGSEGV (an invalid memory access), "
        let function = "in Notes.NotesView.actions.getter : Swift.Array<AtriumKit.Action>"
        #expect(next.output.contains(report) && next.output.contains(function), "\(next.output)")
    }

    @Test("README, pages, reference and examples are in the SDK, and every link in them leads to a file")
    func pages() throws {
        let folder = Project.sdk
        let pages = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".md") && !$0.hasPrefix("Templates/")
        }
        let expected = [
            "README.md", "Documentation/README.md", "Documentation/decisions/README.md",
            "Documentation/reference/AtriumKit/Record.md", "Examples/Library/README.md",
        ]
        #expect(Set(expected).subtracting(pages) == [] && pages.count > 300)

        var missing: [String] = []
        for name in pages {
            let page = folder.appending(path: name)
            for link in try String(contentsOf: page, encoding: .utf8).matches(
                of: /\]\(([^)#:\s]+)(#[^)]*)?\)/)
            {
                let target = page.deletingLastPathComponent().appending(path: String(link.1))
                if !FileManager.default.fileExists(atPath: target.path) {
                    missing.append("\(name): \(link.1)")
                }
            }
        }
        #expect(missing.isEmpty, "\(missing)")
    }

    @Test("'atrium docs' prints where they are, and an installed example builds with the installed SDK")
    func documents() throws {
        try install()
        let sdk = prefix.appending(path: "share/atrium/sdk").path

        let paths = try run("atrium", "docs").output.split(separator: "\n").map {
            $0.split(separator: " ", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let copied = try run("cp", "-R", "\(sdk)/Examples/Library", "Library")
        let built = try run("swift", "build", "-c", "release", "--package-path", "Library")

        #expect(
            paths == [
                ["Readme", "\(sdk)/README.md"], ["Pages", "\(sdk)/Documentation"],
                ["Reference", "\(sdk)/Documentation/reference"], ["Examples", "\(sdk)/Examples"],
            ])
        for path in paths { #expect(FileManager.default.fileExists(atPath: path[1]), "\(path)") }
        #expect(copied.status == 0 && built.status == 0, "\(built.output)")
    }

    @Test(
        "'swift' and 'doc' know the modules that come with the host, also without the headers of C libraries")
    func code() throws {
        try install()
        let lines =
            "swift import Session\nswift PasswordHasher.self\nswift EntityRepository.self\ndoc PasswordHasher"

        let shown = try run("atrium", "-c", lines)
        try Data().write(to: prefix.appending(path: "share/atrium/sdk/interfaces/CSodium/CSodium.h"))
        let withoutHeader = try run("atrium", "-c", lines)

        for run in [shown, withoutHeader] {
            #expect(run.status == 0, "\(run.output)")
            #expect(run.output.contains("PasswordHasher.Type"), "\(run.output)")
            #expect(run.output.contains("RecordRepository<Entity>.Type"), "\(run.output)")
            #expect(run.output.contains("of Session"), "\(run.output)")
        }
    }

    @Test("The debug information of the host and its modules is beside them, by their build ids")
    func debugInformation() throws {
        try install()
        func output(_ program: String, _ arguments: [String]) throws -> String {
            let run = try ProgramRun.run("/usr/bin/env", [program] + arguments, in: folder)
            #expect(run.status == 0, "\(run.output)")
            return run.output
        }

        for (file, function, source) in [
            (
                "bin/atrium", "15AtriumLibraries12PackageBuildV",
                "Sources/AtriumLibraries/Packages/PackageBuild.swift"
            ),
            ("lib/atrium/libAtriumKit.so", "9AtriumKit9ContainerC", "/Container.swift"),
            (
                "lib/atrium/modules/libEntities.so", "8Entities18LocalEntityServiceV",
                "Local/LocalEntityService.swift"
            ),
        ] {
            let program = prefix.appending(path: file).path
            let notes = try output("readelf", ["--notes", program])
            let id = try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]{2})([0-9a-f]+)/), "\(file)")
            let symbols = prefix.appending(path: "lib/atrium/debug/.build-id/\(id.1)/\(id.2).debug").path
            let addresses = try output("nm", [program]).split(separator: "\n")
                .filter { $0.contains(function) && $0.contains(#/ [tT] /#) }.prefix(100).map { $0.prefix(16) }

            let lines = try output("addr2line", ["-e", symbols] + addresses.map(String.init))

            #expect(lines.contains(source), "\(file): \(lines.prefix(2000))")
            #expect(try !output("readelf", ["--sections", "--wide", program]).contains(".debug_info"))
        }
    }

    @Test("What was installed can be removed, and nothing else is")
    func uninstall() throws {
        try install()
        let other = prefix.appending(path: "bin/other")
        try Data().write(to: other)

        let removed = try script("uninstall", "", prefix.path)

        #expect(removed.status == 0, "\(removed.output)")
        let left = try FileManager.default.subpathsOfDirectory(atPath: prefix.path)
        #expect(left.sorted() == ["bin", "bin/other"])
        #expect(
            try script("uninstall", "", prefix.path).output
                == "uninstall: there is no atrium in '\(prefix.path)'\n")
    }

    @Test("The modules are signed, so a host with policy 'signed' loads them, and no changed one")
    func signatures() throws {
        try install()
        let installed = try String(
            contentsOf: prefix.appending(path: "share/atrium/modules.json"), encoding: .utf8)
        try installed.replacing(#""any""#, with: #""signed""#)
            .write(to: folder.appending(path: "modules.json"), atomically: true, encoding: .utf8)

        let modules = try run("atrium", "--json", "-c", "modules").output
        let library = try FileHandle(
            forWritingTo: prefix.appending(path: "lib/atrium/modules/libEntities.so"))
        try library.seekToEnd()
        try library.write(contentsOf: Data([0]))
        let changed = try run("atrium", "-c", "why Entities").output

        #expect(modules.components(separatedBy: #""state":"active""#).count == 4, "\(modules)")
        #expect(changed.contains("is not the signature of this library"), "\(changed)")
    }

    @Test("A prefix that can't be used is refused")
    func badPrefix() throws {
        let file = folder.appending(path: "file")
        try Data().write(to: file)
        let arguments = [Project.host.path, Project.sdk.path, ""]
        let program = Project.root.appending(path: "Sources/atrium/Installed/install").path

        let relative = try ProgramRun.run(program, arguments + ["local"], in: folder)
        let inFile = try ProgramRun.run(program, arguments + [file.path + "/local"], in: folder)

        #expect(relative.output == "install: PREFIX must be an absolute path, not 'local'\n")
        #expect(
            inFile.output == "install: '\(file.path)/local' can't be written; use sudo, or another PREFIX\n")
        #expect(relative.status == 1 && inFile.status == 1)
    }

    @Test("Completion in bash has the words that the host lists")
    func completion() throws {
        let host = Project.release.appending(path: "atrium").path
        let file = Project.root.appending(path: "Sources/atrium/Installed/atrium.bash").path
        func words(_ words: String, _ position: Int) throws -> String {
            let state = "COMP_WORDS=(atrium \(words)); COMP_CWORD=\(position)"
            let line = "source '\(file)'; \(state); _atrium '\(host)'; echo ${COMPREPLY[*]}"
            return try ProgramRun.run("/bin/bash", ["-c", line]).output
        }

        #expect(try words("--env ''", 2) == "mock local live\n")
        #expect(try words("--env l", 2) == "local live\n")
        #expect(try words("--no-pa", 1) == "--no-pager\n")
        #expect(try words("database ''", 2) == "copy migrate\n")
        #expect(try words("--data ''", 2) == "\n")
    }
}
