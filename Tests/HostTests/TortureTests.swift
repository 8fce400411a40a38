import Foundation
import Testing

/// The short forms of the parts of `make torture` that drive the host; `Tests/Torture` has the scripts.
@Suite struct TortureTests {
    @Test("The clock of a running host may jump, and nothing that was saved is lost")
    func clock() throws { try run("clock.py", ["--seed", "1", "--jumps", "40"]) }

    @Test("SIGKILL during any writing command loses nothing that was acknowledged")
    func kills() throws { try run("kills.py", ["--seed", "1", "--kills", "8"]) }

    @Test("SIGKILL or a full disk at any call of 'atrium restore' leaves the old or the new data whole")
    func restores() throws { try run("restores.py", []) }

    @Test("An error of the system is no damage: the start ends with the reason, and loses nothing")
    func errors() throws {
        try run(
            "errnos.py",
            [
                "--library", Project.debug.appending(path: "libClockwork.so").path, "session-local.json",
                "installed.json", "host.lock", "modules",
            ])
    }

    @Test("Scripts at once on one data folder stay signed in, though a refresh token works once")
    func rotation() throws { try run("rotation.py", ["--seed", "1", "--rounds", "2", "--scripts", "6"]) }

    private func run(_ script: String, _ arguments: [String]) throws {
        let script = Project.root.appending(path: "Tests/Torture/\(script)")
        let release = Project.release

        let run = try ProgramRun.run(
            "/usr/bin/env",
            [
                "python3", script.path, "--host", release.appending(path: "atrium").path, "--modules",
                release.path,
            ] + arguments)

        #expect(run.status == 0, "\(run.output)")
    }
}
