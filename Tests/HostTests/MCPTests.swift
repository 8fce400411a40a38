import Foundation
import Testing

/// Uses the built host as programs do that speak the Model Context Protocol; `Tests/MCP` has the steps.
@Suite struct MCPTests {
    private static let python = Project.root.appending(path: ".build/mcp-venv/bin/python").path

    private func run(_ script: String, with program: [String], _ more: String...) throws -> ProgramRun {
        try ProgramRun.run(
            "/usr/bin/env",
            program + [
                Project.root.appending(path: "Tests/MCP/\(script)").path, "--host",
                Project.release.appending(path: "atrium").path, "--modules", Project.release.path,
            ] + more)
    }

    @Test("The protocol's own Python SDK lists, calls, reads, subscribes, cancels and is asked")
    func story() throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: Self.python), "'make mcp-client' installs the SDK.")

        let run = try run("story.py", with: [Self.python])

        #expect(run.status == 0 && run.output.isEmpty, "\(run.output)")
    }

    @Test("Wrong lines, floods, and ends in the middle are answered, and disturb nobody else")
    func hostile() throws {
        let run = try run("hostile.py", with: ["python3"])

        #expect(run.status == 0 && run.output.isEmpty, "\(run.output)")
    }

    @Test("Every tool, command and request at every permission: nothing above it happens")
    func permissions() throws {
        let run = try run("permissions.py", with: ["python3"], "--every", "5")

        #expect(run.status == 0 && run.output.isEmpty, "\(run.output)")
    }
}
