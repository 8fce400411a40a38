import Foundation
import Testing

/// Crashes, replaces and watches modules at a prompt; `Tests/Terminal/lifecycle.py` has the steps.
@Suite struct LifeCycleTerminalTests {
    @Test("at a real terminal: a crash leads back to the prompt, a watched module changes above it")
    func lifeCycle() throws {
        let script = Project.root.appending(path: "Tests/Terminal/lifecycle.py")

        let run = try ProgramRun.run(
            "/usr/bin/env",
            [
                "python3", script.path, "--host", Project.release.appending(path: "atrium").path,
                "--modules", Project.release.path,
            ])

        print(run.output)
        #expect(run.status == 0, "\(run.output)")
    }
}
