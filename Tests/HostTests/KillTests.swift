import Foundation
import Testing

/// Kills the built host with SIGKILL at random moments; `Tests/Terminal/kill.py` has the steps.
@Suite struct KillTests {
    @Test("SIGKILL during creates loses nothing that was acknowledged, and damages no file")
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
