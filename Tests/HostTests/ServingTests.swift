import Foundation
import Testing

/// Uses a host that serves, from other processes; `Tests/Serving/serving.py` has the steps.
@Suite struct ServingTests {
    @Test(
        "From other processes: scenes, exit codes, secrets, many clients, slow ones, hostile ones, the end of the host"
    )
    func serving() throws {
        let run = try ProgramRun.script("Tests/Serving/serving.py", Project.builtHost + ["--at-once", "4"])

        #expect(run.status == 0, "\(run.output)")
    }

    @Test(
        "Two hundred lines are answered the same alone and attached, as text of -c, as a file and on standard input"
    )
    func ways() throws {
        let run = try ProgramRun.script("Tests/Serving/ways.py", Project.builtHost)

        #expect(run.status == 0, "\(run.output)")
    }

    @Test("No way of looking inside a host shows a password or a token of a user who signs in meanwhile")
    func secrets() throws {
        let run = try ProgramRun.script("Tests/Serving/secrets.py", Project.builtHost)

        #expect(run.status == 0, "\(run.output)")
    }
}
