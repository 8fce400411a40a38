import Foundation
import Testing

/// Opens and leaves every screen of the modules in the built host.
@Suite struct ScreenEnduranceTests {
    @Test("After 10,000 visits of each screen, no view model is alive and memory does not grow")
    func screens() throws {
        let run = try ProgramRun.script(
            "Tests/Endurance/screens.py",
            [
                Project.release.appending(path: "atrium").path,
                Project.root.appending(path: "modules.json").path,
            ])

        #expect(run.status == 0, "\(run.output)")
    }
}
