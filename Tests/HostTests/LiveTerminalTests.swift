import Foundation
import Testing

/// Watches changing screens and slow commands in a terminal; `Tests/Terminal/live.py` has the steps.
@Suite struct LiveTerminalTests {
    @Test("In a real terminal, a changing screen is redrawn in place, and a slow command has a status line")
    func live() throws {
        let script = Project.root.appending(path: "Tests/Terminal/live.py")

        let run = try ProgramRun.run(
            "/usr/bin/env",
            [
                "python3", script.path, "--host", Project.release.appending(path: "atrium").path,
                "--modules", Project.release.path,
            ])

        #expect(run.status == 0, "\(run.output)")
    }
}
