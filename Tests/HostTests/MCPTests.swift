import Foundation
import Testing

/// Uses the built host as programs do that speak the Model Context Protocol; `Tests/MCP` has the steps.
@Suite struct MCPTests {
    private static let python = Project.root.appending(path: ".build/mcp-venv/bin/python").path

    @Test("The protocol's own Python SDK lists, calls, reads, subscribes, cancels and is asked")
    func story() throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: Self.python), "'make mcp-client' installs the SDK.")

        let run = try ProgramRun.script("Tests/MCP/story.py", Project.builtHost, with: Self.python)

        #expect(run.status == 0 && run.output.isEmpty, "\(run.output)")
    }

    @Test("Wrong lines, floods, and ends in the middle are answered, and disturb nobody else")
    func hostile() throws {
        let run = try ProgramRun.script("Tests/MCP/hostile.py", Project.builtHost)

        #expect(run.status == 0 && run.output.isEmpty, "\(run.output)")
    }

    @Test("Every tool, command and request at every permission: nothing above it happens")
    func permissions() throws {
        let run = try ProgramRun.script("Tests/MCP/permissions.py", Project.builtHost + ["--every", "5"])

        #expect(run.status == 0 && run.output.isEmpty, "\(run.output)")
    }
}
