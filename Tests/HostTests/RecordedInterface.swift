import Foundation
import Testing

/// An interface of AtriumKit as the compiler reads it: recorded at a release, or of the current build.
struct RecordedInterface: Sendable, CustomTestStringConvertible {
    /// The version of AtriumKit, which is also the name of the folder.
    let version: String
    let file: URL

    private static let folder = Project.root.appending(path: "Tests/Fixtures/ABI/Interfaces")

    /// The recorded interfaces, oldest first.
    static let all: [RecordedInterface] = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return versions.sorted { $0.compare($1, options: .numeric) == .orderedAscending }.map {
            RecordedInterface(
                version: $0, file: folder.appending(path: $0).appending(path: "AtriumKit.swiftinterface"))
        }
    }()

    /// The module in `Tests/Fixtures/ABI/First`, built with the release.
    var library: URL {
        Self.folder.deletingLastPathComponent().appending(path: "Binaries/\(version)/libFirst.so")
    }

    /// The interface of this test run's build.
    static let present = RecordedInterface(
        version: "present", file: Project.debug.appending(path: "Modules/AtriumKit.swiftinterface"))

    var testDescription: String { "AtriumKit \(version)" }

    var text: String {
        get throws { try String(contentsOf: file, encoding: .utf8) }
    }

    /// What the build stamped into manifests at that time.
    var stamp: [String: String] {
        get throws {
            let file = file.deletingLastPathComponent().appending(path: "stamp.json")
            return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
        }
    }
}

/// Compares two interfaces with `swift-api-digester`.
enum InterfaceComparison {
    /// The changes that break libraries built against the older interface, one a line.
    static func breaks(from older: String, to newer: String) throws -> [String] {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        for (name, text) in ["older": older, "newer": newer] {
            let folder = folder.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try text.write(
                to: folder.appending(path: "AtriumKit.swiftinterface"), atomically: true, encoding: .utf8)
        }
        let run = try ProgramRun.run(
            "/usr/bin/env",
            [
                "swift-api-digester", "-diagnose-sdk", "-abi", "-disable-os-checks", "-module", "AtriumKit",
                "-BI", "older", "-I",
                "newer",
                "-module-cache-path", "cache",
            ], in: folder)
        let lines = run.output.split(separator: "\n").map(String.init)
        // Without this heading the tool has compared nothing.
        try #require(run.status == 0 && lines.contains("/* Removed Decls */"), "\(run.output)")
        // A library has the conformances that it was built with; only one that declares the same itself has two.
        return lines.filter {
            !$0.hasPrefix("/* ") && !$0.contains(" has added a conformance to an existing protocol ")
        }
    }
}
