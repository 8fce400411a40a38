import Foundation
import Testing

/// A run of the tool that the plugin EmbedManifest runs, on sources in files `0.swift`, `1.swift` and so on.
struct ManifestRun {
    /// The messages, with paths relative to the folder of the files.
    let messages: String
    /// The embedded manifest; empty if the run failed.
    let manifest: String
    /// The generated source; empty if the run failed.
    let generated: String

    /// Runs the tool; `keys` are further members of the manifest, as JSON.
    init(_ sources: [String], keys: String = "") throws {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        let compiler = try ProgramRun.run("/bin/sh", ["-c", "command -v swiftc"]).output
        let head = #""name": "Books", "version": "1.0.0", "entry": "BooksModule", "summary": "Books""#
        let output = folder.appending(path: "ModuleEntry.swift")
        try Self.write("{\n\(head)\(keys.isEmpty ? "" : ",\n")\(keys)\n}", "module.json", folder)
        var arguments = [
            folder.appending(path: "module.json").path, "--output", output.path, "--swiftc",
            compiler.trimmingCharacters(in: .whitespacesAndNewlines), "--sources",
        ]
        for (number, source) in sources.enumerated() {
            arguments.append(try Self.write(source, "\(number).swift", folder))
        }
        let run = try ProgramRun.run(Project.release.appending(path: "ManifestTool-tool").path, arguments)
        messages = run.output.replacingOccurrences(of: folder.path + "/", with: "")
        #expect((run.status == 0) == messages.isEmpty)
        manifest = run.status == 0 ? try Self.embedded(in: output) : ""
        generated = run.status == 0 ? try String(contentsOf: output, encoding: .utf8) : ""
    }

    /// The member `screens` of the manifest, each as `pattern: summary`, in their order.
    var screens: [String] {
        guard let list = manifest.firstMatch(of: /"screens":{(.*?)}/)?.1 else { return [] }
        return list.matches(of: /"(.*?)":"(.*?)"/).map { "\($0.1): \($0.2)" }
    }

    private static func embedded(in file: URL) throws -> String {
        let text = try String(contentsOf: file, encoding: .utf8)
        let bytes = try #require(text.firstMatch(of: /InlineArray<\d+, UInt8> = \[([\d,\s]*)\]/)?.1)
        return String(decoding: bytes.split { !$0.isNumber }.compactMap { UInt8($0) }, as: UTF8.self)
    }

    @discardableResult
    private static func write(_ text: String, _ name: String, _ folder: URL) throws -> String {
        let file = folder.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }
}
