import Foundation
import Testing

/// Gives the built host modules that write down one contribution point with two types of element.
@Suite("Contribution points that two modules declare differently") struct MismatchedPointTests {
    private let names = ["counter-1", "greeter", "another-type-of-element"]
    private let types = "(text: String, language: String) in module 'AnotherTypeOfElement' 1.0.0"

    private func additions() throws -> [String] {
        try names.map { "module add '\(try FixtureModule($0).library().path)'" }
    }

    @Test("The trial refuses the second one, and names both modules, versions and types")
    func trial() throws {
        let run = try HostSite().run(try additions() + ["greeter"])

        try #require(run.replies.count == 4, "\(run.errors)")
        #expect(run.replies[2].code == "otherElement", "\(run.replies[2].text)")
        #expect(run.replies[2].message.contains(types), "\(run.replies[2].text)")
        #expect(run.replies[2].message.contains("String in module 'Counter' 1.0.0"), "\(run.replies[2].text)")
        #expect(run.replies[3].isOK, "\(run.replies[3].text)")
    }

    @Test("Without a trial the reader, 'health' and 'verify' say it")
    func running() throws {
        let run = try HostSite().run(
            try additions() + [
                "greeter", "health", "verify", "module remove AnotherTypeOfElement", "greeter",
            ],
            options: ["--no-preflight"])

        try #require(run.replies.count == 8, "\(run.errors)")
        #expect(run.replies[2].isOK, "\(run.replies[2].text)")
        for reply in run.replies[3...5] {
            #expect(!reply.isOK && reply.text.contains(types), "\(reply.text)")
        }
        #expect(run.replies[6].isOK && run.replies[7].isOK, "\(run.replies[7].text)")
    }
}
