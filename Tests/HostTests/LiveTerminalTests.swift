import Foundation
import Testing

/// Watches changing screens and slow commands in a terminal; `Tests/Terminal/live.py` has the steps.
@Suite struct LiveTerminalTests {
    @Test("In a real terminal, a changing screen is redrawn in place, and a slow command has a status line")
    func live() throws {
        let run = try ProgramRun.script("Tests/Terminal/live.py", Project.builtHost)

        #expect(run.status == 0, "\(run.output)")
    }
}
