import Foundation
import Testing

/// Runs the reference server's own tests, which start it as processes on free ports.
@Suite struct ReferenceServerTests {
    @Test("The reference server follows its OpenAPI description, also after invalid requests and kills")
    func server() throws {
        let run = try ProgramRun.script("Demos/server/test_server.py")

        #expect(run.status == 0, "\(run.output)")
    }
}
