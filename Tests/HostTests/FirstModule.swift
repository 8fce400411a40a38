import Foundation
import Testing

/// Builds the module in `Tests/Fixtures/ABI/First` against an interface of AtriumKit, and runs a host with
/// it.
struct FirstModule {
    private let folder: URL

    private static let source = Project.root.appending(path: "Tests/Fixtures/ABI/First")

    /// Builds the module as the build plugin and the compiler did at the time of the interface.
    ///
    /// - Parameters:
    ///   - interface: The text of the interface, the only part of AtriumKit that the compiler can see.
    ///   - stamp: What the build stamped into manifests at that time.
    ///   - folder: An empty folder, which the caller removes.
    ///   - edit: Changes the module's source.
    /// - Throws: If the module can't be built.
    init(
        against interface: String, stamp: [String: String], in folder: URL,
        edit: (String) -> String = { $0 }
    ) throws {
        self.folder = folder
        try write(interface, "AtriumKit.swiftinterface")
        let source = try String(contentsOf: Self.source.appending(path: "FirstModule.swift"), encoding: .utf8)
        try write(edit(source), "FirstModule.swift")
        try run(
            Project.release.appending(path: "ManifestTool-tool").path,
            [
                Self.source.appending(path: "module.json").path, "--output", "ModuleEntry.swift", "--swiftc",
                try run("/usr/bin/env", ["which", "swiftc"]).trimmingCharacters(in: .newlines),
            ])
        let entry = try String(contentsOf: folder.appending(path: "ModuleEntry.swift"), encoding: .utf8)
        try write(try Self.stamped(entry, stamp), "ModuleEntry.swift")
        try run(
            "/usr/bin/env",
            [
                "swiftc", "-emit-library", "-O", "-module-name", "First", "-swift-version", "6",
                "-parse-as-library", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
                "-module-cache-path", "cache", "-I", ".", "-L", Project.release.path, "-lAtriumKit",
                "-o", "libFirst.so", "FirstModule.swift", "ModuleEntry.swift",
            ])
        try write(
            #"{ "searchPaths": [], "modules": [{ "name": "First", "path": "libFirst.so" }] }"#, "modules.json"
        )
    }

    /// Takes a library that was built before.
    init(library: URL, in folder: URL) throws {
        self.folder = folder
        try replace(by: library)
        try write(
            #"{ "searchPaths": [], "modules": [{ "name": "First", "path": "libFirst.so" }] }"#, "modules.json"
        )
    }

    var library: URL { folder.appending(path: "libFirst.so") }

    /// Puts another library into the place of the module's, as a build does.
    func replace(by library: URL) throws {
        try Data(contentsOf: library).write(to: self.library, options: .atomic)
    }

    /// Runs commands in a new process of the built host; its data stays for the next run.
    func play(_ commands: String) throws -> ProgramRun {
        try ProgramRun.run(
            Project.release.appending(path: "atrium").path,
            ["--data", "data", "--config", "modules.json", "-c", commands], in: folder,
            environment: ["NO_COLOR": "1", "COLUMNS": "200"])
    }

    /// The generated file with other values in the manifest that it embeds as bytes.
    private static func stamped(_ source: String, _ stamp: [String: String]) throws -> String {
        let array = try #require(try #/InlineArray<\d+, UInt8> = \[([\d,\s]*)\]/#.firstMatch(in: source))
        let bytes = array.1.split { !$0.isNumber }.compactMap { UInt8($0) }
        var manifest = String(decoding: bytes, as: UTF8.self)
        for (key, value) in stamp {
            let member = try #require(try Regex("\"\(key)\":\"[^\"]*\"").firstMatch(in: manifest))
            manifest.replaceSubrange(member.range, with: "\"\(key)\":\"\(value)\"")
        }
        let numbers = manifest.utf8.map(String.init).joined(separator: ", ")
        return source.replacingCharacters(
            in: array.range, with: "InlineArray<\(manifest.utf8.count), UInt8> = [\(numbers)]")
    }

    private func write(_ text: String, _ name: String) throws {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let run = try ProgramRun.run(program, arguments, in: folder)
        try #require(run.status == 0, "\(run.output)")
        return run.output
    }
}
