import Foundation
import Testing

/// Kills the built host with SIGKILL at random moments; `Tests/Terminal/kill.py` has the steps.
@Suite struct KillTests {
    @Test("SIGKILL during creates loses nothing that was acknowledged, and damages no file")
    func kill() throws {
        let run = try ProgramRun.script("Tests/Terminal/kill.py", Project.builtHost)

        #expect(run.status == 0, "\(run.output)")
    }
}
