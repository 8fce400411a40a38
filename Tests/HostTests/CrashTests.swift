import Foundation
import Testing

/// Crashes a small host in every way, alone and under its supervisor, as `Tests/Crash/crash.py` has it.
@Suite struct CrashTests {
    @Test("a crash is recorded with module, generation and frames, and answered with the next host")
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
