import Foundation
import Testing

/// Uses the built host as a person does, in terminals of tmux; `Tests/Terminal/terminal.py` has the steps.
@Suite struct TerminalTests {
    @Test("at a real terminal: prompt, Tab, history, secrets, Ctrl-C, pasting, resizing, leaving")
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
