import Foundation
import Testing

/// Runs the reference server's own tests, which start it as processes on free ports.
@Suite struct ReferenceServerTests {
    @Test("The reference server follows its OpenAPI description, also after invalid requests and kills")
    func server() throws {
        let script = Project.root.appending(path: "Demos/server/test_server.py")

        let run = try ProgramRun.run("/usr/bin/env", ["python3", script.path])

        #expect(run.status == 0, "\(run.output)")
    }
}
