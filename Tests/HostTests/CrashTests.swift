import Foundation
import Testing

/// Crashes a small host in every way, alone and under its supervisor; `Tests/Crash/crash.py` has the steps.
@Suite struct CrashTests {
    @Test("A crash is recorded with module, generation and frames, and the supervisor starts the host again")
    func crash() throws {
        let run = try ProgramRun.script(
            "Tests/Crash/crash.py",
            [
                "--host", Project.debug.appending(path: "crasher").path,
                "--library", Project.debug.appending(path: "libWrecker.so").path,
            ])

        #expect(run.status == 0, "\(run.output)")
    }
}
