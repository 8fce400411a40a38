import Foundation
import Testing

/// Loads three libraries, as the host loads modules, and compares their sessions.
@Suite struct SessionInModulesTests {
    /// A module that exports the address of its session.
    private static let module = """
        import AtriumKit

        @c(session_of_module) public func sessionOfModule() -> UInt {
            MainActor.assumeIsolated {
                UInt(bitPattern: Unmanaged.passUnretained(SessionManager.shared).toOpaque())
            }
        }
        """

    private static let host = """
        import AtriumKit
        import Glibc

        typealias Session = @convention(c) () -> UInt
        let own = UInt(bitPattern: Unmanaged.passUnretained(SessionManager.shared).toOpaque())
        for path in CommandLine.arguments.dropFirst() {
            guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL),
                let symbol = dlsym(library, "session_of_module")
            else { fatalError(String(cString: dlerror())) }
            print(unsafeBitCast(symbol, to: Session.self)() == own ? "same" : "another")
        }
        """

    @Test("The session is the same object in the host and in three separately loaded modules")
    func pointers() throws {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        let modules = ["One", "Two", "Three"]
        for name in modules {
            try Self.compile(Self.module, as: name, ["-emit-library", "-o", "lib\(name).so"], in: folder)
        }
        try Self.compile(Self.host, as: "main", ["-o", "host"], in: folder)

        let run = try ProgramRun.run(
            folder.appending(path: "host").path, modules.map { folder.appending(path: "lib\($0).so").path },
            environment: ["LD_LIBRARY_PATH": Project.debug.path])

        #expect(run.output == "same\nsame\nsame\n")
        #expect(run.status == 0)
    }

    @Test("A sign-in through one module is visible in another module and in the host")
    func behaviour() throws {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }

        let run = try ProgramRun.run(
            Project.release.appending(path: "atrium").path,
            [
                "--data", folder.path, "--config", Project.root.appending(path: "modules.json").path,
                "--json",
                "-c", "session sign-up --email ada@example.com --password 'correct horse 9'; profile; where",
            ])

        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.dropFirst().first?.contains(#""email":"ada@example.com""#) == true, "\(run.output)")
        #expect(lines.last?.contains(#""person":"ada@example.com""#) == true, "\(run.output)")
        #expect(run.status == 0)
    }

    private static func compile(
        _ source: String, as name: String, _ options: [String], in folder: URL
    ) throws {
        let file = folder.appending(path: "\(name).swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        let run = try ProgramRun.run(
            "/usr/bin/env",
            [
                "swiftc", "-swift-version", "6", "-module-name", name == "main" ? "Probe" : name, "-I",
                Project.debug.appending(path: "Modules").path, "-L", Project.debug.path, "-lAtriumKit",
            ] + options + [file.path], in: folder)
        try #require(run.status == 0, "\(run.output)")
    }
}
