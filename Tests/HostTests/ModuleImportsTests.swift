import Foundation
import Testing

/// Compiles a file with the SDK as it is installed, like a module in a package of its own.
@Suite struct ModuleImportsTests {
    @Test("A module can import the SDK")
    func control() throws {
        let run = try Self.compile(importing: "AtriumKit")

        #expect(run.status == 0, "\(run.output)")
    }

    @Test(
        "A module can't import the host's libraries or other modules",
        arguments: [
            "AtriumLibraries", "AtriumModules", "AtriumNavigation", "AtriumStorage", "AtriumCommands",
            "AtriumSession",
            "AtriumPrompt", "Session", "UserProfile", "Entities",
        ])
    func upward(_ name: String) throws {
        let isBuilt = FileManager.default.fileExists(
            atPath: Project.debug.appending(path: "Modules/\(name).swiftmodule").path)
        #expect(isBuilt, "There is no module '\(name)' to import.")

        let run = try Self.compile(importing: name)

        #expect(run.status != 0)
        #expect(run.output.contains("error: no such module '\(name)'"), "\(run.output)")
    }

    @Test("A plain import of the SDK does not include the host's SPI")
    func hostOnly() throws {
        let run = try Self.compile(
            importing: "AtriumKit", "@MainActor let container = Container(environment: .mock)")

        #expect(run.status != 0)
        #expect(run.output.contains("error: cannot find 'Container' in scope"), "\(run.output)")
    }

    private static func compile(importing name: String, _ text: String = "") throws -> ProgramRun {
        let folder = try Project.temporaryFolder()
        defer { Project.remove(folder) }
        let file = folder.appending(path: "Module.swift")
        try "import \(name)\n\(text)\n".write(to: file, atomically: true, encoding: .utf8)
        return try ProgramRun.run(
            "/usr/bin/env",
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-I",
                Project.sdk.appending(path: "modules").path, file.path,
            ])
    }
}
