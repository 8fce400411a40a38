import Foundation
import Testing

/// Kills the built host with SIGKILL at random moments, as `Tests/Terminal/kill.py` has it.
@Suite struct KillTests {
    @Test("SIGKILL in the middle of creates loses nothing that was acknowledged, and damages no file")
    func kill() throws {
        let script = Project.root.appending(path: "Tests/Terminal/kill.py")

        let run = try ProgramRun.run(
            "/usr/bin/env",
            [
                "python3", script.path, "--host", Project.release.appending(path: "atrium").path,
                "--modules", Project.release.path,
            ])

        #expect(run.status == 0, "\(run.output)")
    }
}
