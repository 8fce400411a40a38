import Foundation
import Testing

/// The short forms of the parts of `make torture` that drive the host; `Tests/Torture` has the scripts.
@Suite struct TortureTests {
    @Test("The clock of a running host may jump, and nothing that was saved is lost")
    func clock() throws { try run("clock.py", ["--seed", "1", "--jumps", "40"]) }

    @Test("SIGKILL during any writing command loses nothing that was acknowledged")
    func kills() throws { try run("kills.py", ["--seed", "1", "--kills", "8"]) }

    @Test("SIGKILL while a snapshot is saved or returned to leaves the state before or after it")
    func resets() throws { try run("resets.py", ["--seed", "1", "--kills", "6"]) }

    @Test("So does SIGKILL with the data in PostgreSQL, and the next start asks the server")
    func resetsOnServer() throws { try run("resets.py", ["--postgres", "--seed", "1", "--kills", "6"]) }

    @Test("SIGKILL or a full disk at any call of 'atrium restore' leaves the old or the new data whole")
    func restores() throws { try run("restores.py", ["--sample", "12"]) }

    @Test(
        "SIGKILL or a full disk during an upgrade with a migration leaves module and data before or after it")
    func upgrades() throws { try run("upgrades.py", ["--sample", "12"]) }

    @Test("So does SIGKILL with the data in PostgreSQL, before and after the commit")
    func upgradesOnServer() throws { try run("upgrades.py", ["--postgres", "--sample", "12"]) }

    @Test("A host that does not hear of others' changes says so, and shows no old value")
    func feed() throws { try run("feed.py", ["--ends", "3"]) }

    @Test("An import stops no other host")
    func imports() throws { try run("imports.py", ["--rows", "50000", "--writers", "2", "--limit", "5"]) }

    @Test("An error of the system is no damage: the start ends with the reason, and loses nothing")
    func errors() throws {
        try run(
            "errnos.py",
            [
                "--short", "session-local.json", "change.json", "host.lock", "modules", "Entities.sqlite",
                "Entities.sqlite-wal", "tokens-live.json",
            ])
    }

    @Test("Whatever is in the place of a state file stays, and damage to a file costs no other one")
    func stateFiles() throws {
        try run(
            "state_files.py",
            ["--short", "session-local.json", "installed.json", "Entities.sqlite", "tokens-live.json"])
    }

    @Test("With few descriptors, and with files of the largest size, a start works wholly or changes nothing")
    func limits() throws { try run("limits.py", ["--short"]) }

    @Test("Outputs that can't be written and files that wait are told, and no other client waits for them")
    func files() throws { try run("files.py", ["--short"]) }

    @Test("Scripts at once on one data folder stay signed in, though a refresh token works once")
    func rotation() throws { try run("rotation.py", ["--seed", "1", "--rounds", "2", "--scripts", "6"]) }

    @Test("No number in a file, a row, an option or a request ends the host or loses other data")
    func bounds() throws { try run("bounds.py", ["--every", "25"]) }

    private func run(_ script: String, _ arguments: [String]) throws {
        let run = try ProgramRun.script("Tests/Torture/\(script)", Project.builtHost + arguments)

        #expect(run.status == 0, "\(run.output)")
    }
}
