import Foundation
import Testing

/// Gives the built host modules that write down one contribution point with two types of element.
@Suite("Contribution points that two modules declare differently") struct MismatchedPointTests {
    private let names = ["counter-1", "greeter", "another-type-of-element"]
    private let types = "(text: String, language: String) in module 'AnotherTypeOfElement' 1.0.0"

    private func additions() throws -> [String] {
        try names.map { "module add '\(try FixtureModule($0).library().path)'" }
    }

    @Test(
        "The second one is refused, with both modules, versions and types, and the others go on",
        arguments: [[], ["--no-preflight"]])
    func refused(options: [String]) throws {
        let run = try HostSite().run(try additions() + ["greeter", "health", "verify"], options: options)

        try #require(run.replies.count == 6, "\(run.errors)")
        #expect(run.replies[2].code == "otherElement", "\(run.replies[2].text)")
        #expect(run.replies[2].message.contains(types), "\(run.replies[2].text)")
        #expect(run.replies[2].message.contains("String in module 'Counter' 1.0.0"), "\(run.replies[2].text)")
        #expect(run.replies[3].isOK && run.replies[5].isOK, "\(run.replies[3].text) \(run.replies[5].text)")
    }
}
