import Foundation
import Testing

/// Uses the built host in terminals of tmux, as a person would; `Tests/Terminal/terminal.py` has the steps.
@Suite struct TerminalTests {
    @Test("In a real terminal: prompt, Tab, history, secrets, Ctrl-C, pasting, resizing, exit")
    func terminal() throws {
        let script = Project.root.appending(path: "Tests/Terminal/terminal.py")

        let run = try ProgramRun.run(
            "/usr/bin/env",
            [
                "python3", script.path, "--host", Project.release.appending(path: "atrium").path,
                "--modules", Project.release.path,
            ])

        #expect(run.status == 0, "\(run.output)")
    }
}
