import Foundation
import Testing

/// Watches screens that change and commands that take their time; `Tests/Terminal/live.py` has the steps.
@Suite struct LiveTerminalTests {
    @Test("at a real terminal: a screen is drawn in place as it changes, a slow command has a status line")
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
