import Foundation
import Testing

/// Crashes, updates and watches modules in a terminal; `Tests/Terminal/lifecycle.py` has the steps.
@Suite struct LifeCycleTerminalTests {
    @Test(
        "In a real terminal, the prompt returns after a crash, and updates of a watched module print above it"
    )
    func lifeCycle() throws {
        let run = try ProgramRun.script("Tests/Terminal/lifecycle.py", Project.builtHost)

        print(run.output)
        #expect(run.status == 0, "\(run.output)")
    }
}
