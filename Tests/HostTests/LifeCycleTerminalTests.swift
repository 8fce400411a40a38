import Foundation
import Testing

/// Crashes, updates and watches modules in a terminal; `Tests/Terminal/lifecycle.py` has the steps.
@Suite struct LifeCycleTerminalTests {
    @Test(
        "In a real terminal, the prompt returns after a crash, and updates of a watched module print above it"
    )
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
