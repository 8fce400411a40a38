import Foundation
import Testing

/// Uses the built host in terminals of tmux, as a person would; `Tests/Terminal/terminal.py` has the steps;
/// edits lines in a terminal emulator: `Tests/Terminal/editing.py`.
@Suite struct TerminalTests {
    @Test("In a real terminal: prompt, Tab, history, secrets, Ctrl-C, pasting, resizing, exit")
    func terminal() throws { try run("Tests/Terminal/terminal.py") }

    @Test("What is typed is shown in every kind of terminal, and is what runs")
    func editing() throws { try run("Tests/Terminal/editing.py") }

    private func run(_ path: String) throws {
        let run = try ProgramRun.script(path, Project.builtHost)

        #expect(run.status == 0, "\(run.output)")
    }
}
