import Foundation
import Testing

/// What the system gives the built host, and takes from it; `Tests/Process/process.py` has the steps.
@Suite struct ProcessTests {
    @Test(
        "Few descriptors, threads and addresses are told; signals end in order; files that never end delay nobody"
    )
    func process() throws {
        let script = Project.root.appending(path: "Tests/Process/process.py")

        let run = try ProgramRun.run(
            "/usr/bin/python3",
            [
                script.path, "--host", Project.release.appending(path: "atrium").path,
                "--modules", Project.release.path,
            ])

        #expect(run.status == 0, "\(run.output)")
    }
}
