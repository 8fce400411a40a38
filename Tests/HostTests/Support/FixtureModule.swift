import Foundation
import Testing

/// A fixture module in `Tests/Fixtures/Modules`; the README there says what a folder may contain.
///
/// Its library is built into `.build/fixtures` when a test first needs it, and rebuilt only if its sources,
/// the SDK or this file have changed.
struct FixtureModule: Sendable, Hashable, CustomTestStringConvertible {
    /// The name of the folder, which names the fault.
    let name: String

    var testDescription: String { name }

    init(_ name: String) {
        self.name = name
    }

    /// A correct module; the libraries of fixtures without code are derived from it.
    static let plain = FixtureModule("plain")

    /// All fixtures.
    static let all: [FixtureModule] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        return names.filter { !$0.contains(".") }.sorted().map(FixtureModule.init)
    }()

    private static let root = Project.root.appending(path: "Tests/Fixtures/Modules")

    /// The name in the module's manifest; if that is invalid, the folder's name in upper camel case.
    var moduleName: String {
        let manifest = (try? JSONSerialization.jsonObject(with: manifest)) as? [String: Any]
        let given = manifest?["name"] as? String ?? " "
        guard given.contains(" ") else { return given }
        return name.split(separator: "-").map(\.capitalized).joined()
    }

    /// The library, which is built if needed.
    func library() throws -> URL {
        let files = try sources()
        let digest = try Self.digest(files + [manifestFile] + (isCompiled ? [] : Self.plain.sources()))
        let builds = Project.root.appending(path: ".build/fixtures/\(name)")
        let folder = builds.appending(path: "\(digest)-\(try Self.tools.get())")
        let library = folder.appending(path: "lib\(moduleName).so")
        try FileManager.default.createDirectory(at: builds, withIntermediateDirectories: true)
        try FileLock.hold(builds.appendingPathExtension("lock").path) {
            if FileManager.default.fileExists(atPath: library.path) { return }
            try FileManager.default.removeItem(at: builds)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let unfinished = folder.appending(path: "unfinished.so")
            try isCompiled ? compile(files, to: unfinished) : derive(to: unfinished)
            try FileManager.default.moveItem(at: unfinished, to: library)
        }
        return library
    }

    // MARK: - Sources

    /// Whether the fixture has code of its own.
    var isCompiled: Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: "Module.swift").path)
    }
    private var folder: URL { Self.root.appending(path: name) }
    private var manifestFile: URL { folder.appending(path: "module.json") }
    private var manifest: Data { FileManager.default.contents(atPath: manifestFile.path) ?? Data() }

    private func sources() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".swift") }.sorted().map { folder.appending(path: $0) }
    }

    // MARK: - Building

    private func compile(_ sources: [URL], to library: URL) throws {
        let entry = library.deletingLastPathComponent().appending(path: "ModuleEntry.swift")
        try Self.succeed(
            Self.manifestTool.path,
            [manifestFile.path, "--output", entry.path, "--swiftc", try Self.compiler.get()])
        if sources.contains(where: { $0.lastPathComponent == "Entry.swift" }) { try disableEntry(in: entry) }
        try Self.succeed(
            try Self.compiler.get(),
            [
                "-emit-library", "-parse-as-library", "-swift-version", "6", "-wmo", "-Onone",
                "-suppress-warnings", "-module-name", moduleName, "-I",
                Project.release.appending(path: "Modules").path, "-L", Project.release.path, "-lAtriumKit",
                "-o", library.path, entry.path,
            ] + sources.map(\.path))
    }

    /// Renames the generated entry, so that the fixture's own is used.
    private func disableEntry(in file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        try text.replacingOccurrences(of: "atrium_module_create", with: "atrium_module_unused")
            .write(to: file, atomically: true, encoding: .utf8)
    }

    private func derive(to library: URL) throws {
        var image = try LibraryImage(of: Self.plain)
        try image.replaceManifest(with: stamped(like: image.manifest()))
        try image.data.write(to: library)
    }

    /// The manifest with the build's stamps added, if it is JSON; its own values take precedence.
    private func stamped(like built: Data) throws -> Data {
        guard let own = (try? JSONSerialization.jsonObject(with: manifest)) as? [String: Any],
            let built = try JSONSerialization.jsonObject(with: built) as? [String: Any]
        else { return manifest }
        let stamps = built.filter { ["sdk", "inlinedLayout", "compiler"].contains($0.key) }
        return try JSONSerialization.data(
            withJSONObject: stamps.merging(own) { $1 }, options: [.sortedKeys, .withoutEscapingSlashes])
    }

    private static func succeed(_ program: String, _ arguments: [String]) throws {
        let run = try ProgramRun.run(program, arguments)
        try #require(run.status == 0, "\(run.output)")
    }

    // MARK: - Tools

    /// The tool that the EmbedManifest plugin runs.
    private static let manifestTool = Project.release.appending(path: "ManifestTool-tool")

    private static let compiler = Result {
        try ProgramRun.run("/bin/sh", ["-c", "command -v swiftc"]).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A digest that changes with the SDK, the manifest tool and this file.
    private static let tools = Result {
        try digest([
            Project.release.appending(path: "libAtriumKit.so"),
            Project.release.appending(path: "Modules/AtriumKit.swiftmodule"), manifestTool,
            URL(filePath: #filePath),
        ])
    }

    private static func digest(_ files: [URL]) throws -> String {
        let run = try ProgramRun.run(
            "/bin/sh", ["-c", #"cat "$@" | b2sum --length 64"#, "sh"] + files.map(\.path))
        return String(run.output.prefix { $0.isHexDigit })
    }
}
