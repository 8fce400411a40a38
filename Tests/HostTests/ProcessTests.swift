import Foundation
import Testing

/// What the system gives the built host, and takes from it; `Tests/Process` has the steps.
@Suite struct ProcessTests {
    @Test(
        "Few descriptors, threads and addresses are told; signals end in order; files that never end delay nobody"
    )
    func process() throws { try run("process.py") }

    @Test("Whether a change was made, was not, or is not known, each front end says the same")
    func outcomes() throws { try run("outcomes.py") }

    private func run(_ name: String) throws {
        let run = try ProgramRun.script("Tests/Process/\(name)", Project.builtHost)

        #expect(run.status == 0, "\(run.output)")
    }
}
