import Foundation
import Testing

/// Crashes a small host in every way, alone and under its supervisor; `Tests/Crash/crash.py` has the steps.
@Suite struct CrashTests {
    @Test("A crash is recorded with module, generation and frames, and the supervisor starts the host again")
    func crash() throws {
        let script = Project.root.appending(path: "Tests/Crash/crash.py")

        let run = try ProgramRun.run(
            "/usr/bin/env",
            [
                "python3", script.path, "--host", Project.debug.appending(path: "crasher").path,
                "--library", Project.debug.appending(path: "libWrecker.so").path,
            ])

        #expect(run.status == 0, "\(run.output)")
    }
}
