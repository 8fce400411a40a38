import Foundation
import Testing

/// Runs the reference server's own tests, which start it as processes on free ports.
@Suite struct ReferenceServerTests {
    @Test("the reference server does what its description says, also when it is asked wrongly or killed")
    func server() throws {
        let script = Project.root.appending(path: "Demos/server/test_server.py")

        let run = try ProgramRun.run("/usr/bin/env", ["python3", script.path])

        #expect(run.status == 0, "\(run.output)")
    }
}
