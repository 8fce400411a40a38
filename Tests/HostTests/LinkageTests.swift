import Foundation
import Testing

/// Checks the built files: one SDK in the process, and modules that link nothing else of the project.
@Suite struct LinkageTests {
    static let modules = ["Session", "UserProfile", "Entities"]

    @Test(
        "A module links only AtriumKit and libraries of the system and the toolchain",
        arguments: modules)
    func needs(_ module: String) throws {
        try checkNeeds(of: Project.release.appending(path: "lib\(module).so"))
    }

    @Test(
        "So does a module of a package of its own, also one over other modules",
        arguments: ["Catalog", "Shop"])
    func packages(_ module: String) throws {
        try checkNeeds(
            of: Project.root.appending(path: "Examples/\(module)/.build/release/lib\(module).so"))
    }

    private func checkNeeds(of library: URL) throws {
        let needed = try Self.needed(by: library)

        #expect(needed.contains("libAtriumKit.so"))
        let others = needed.filter { $0 != "libAtriumKit.so" && !Self.isSystem($0) }
        #expect(others == [])
    }

    @Test("No module contains a copy of the SDK's types", arguments: modules)
    func noCopies(_ module: String) throws {
        let symbols = try Self.symbols(of: "lib\(module).so", "--defined-only")

        #expect(symbols.contains("atrium_module_create"))
        // Symbols of the module AtriumKit begin with $s9AtriumKit; descriptors of its types end in Mn.
        #expect(symbols.filter { $0.hasPrefix("$s9AtriumKit") && $0.hasSuffix("Mn") } == [])
    }

    @Test("Only AtriumKit defines the shared session, and the host imports it")
    func oneSession() throws {
        // The mangled getter of SessionManager.shared.
        let getter = "$s9AtriumKit14SessionManagerC6sharedACvgZ"

        #expect(try Self.symbols(of: "libAtriumKit.so", "--defined-only").contains(getter))
        #expect(try Self.symbols(of: "atrium", "--undefined-only").contains(getter))
        for module in Self.modules {
            let isDefined = try Self.symbols(of: "lib\(module).so", "--defined-only").contains(getter)
            #expect(!isDefined)
        }
    }

    private static func symbols(of file: String, _ kind: String) throws -> Set<String> {
        let run = try ProgramRun.run(
            "/usr/bin/nm", ["--dynamic", kind, Project.release.appending(path: file).path])
        return Set(
            run.output.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) })
    }

    @Test("The running host has one image of AtriumKit and loads neither the full Foundation nor libcurl")
    func oneImage() throws {
        let data = try Project.temporaryFolder()
        defer { Project.remove(data) }
        let script = """
            cd "$2"; mkfifo lines
            "$1" --data "$2" --config "$3" < lines > out & host=$!
            exec 8> lines; echo modules >&8
            for try in $(seq 600); do [ -s out ] && break; sleep 0.05; done
            cat "/proc/$host/maps"
            exec 8>&-; wait
            """
        let run = try ProgramRun.run(
            "/bin/bash",
            [
                "-c", script, "bash", Project.release.appending(path: "atrium").path, data.path,
                Project.root.appending(path: "modules.json").path,
            ])

        let images = Set(run.output.split(separator: "\n").compactMap { $0.split(separator: " ").last })
        #expect(images.filter { $0.contains("libAtriumKit") }.count == 1)
        #expect(images.filter { $0.contains("/modules/") && $0.hasSuffix(".so") }.count == 3)
        #expect(images.filter { $0.hasSuffix("libFoundation.so") || $0.contains("libcurl") } == [])
    }

    private static func needed(by library: URL) throws -> [String] {
        let run = try ProgramRun.run("/usr/bin/readelf", ["--dynamic", "--wide", library.path])
        #expect(run.status == 0)
        return run.output.split(separator: "\n").filter { $0.contains("(NEEDED)") }.compactMap { line in
            line.split(separator: "[").last.map { String($0.dropLast()) }
        }
    }

    private static func isSystem(_ library: String) -> Bool {
        let system = [
            "libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libsodium.so.23", "ld-linux",
        ]
        return library.hasPrefix("libswift") || system.contains { library.hasPrefix($0) }
    }
}
