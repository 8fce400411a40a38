import AtriumConformance
import AtriumKit
import Foundation
import Testing

@testable import AtriumTesting
@testable import Entities
@testable import Session
@testable import UserProfile

@Suite("Conformance of modules")
@MainActor
struct ConformanceTests {
    @Test("A module of the tests conforms")
    func journal() async throws { try await ModuleConformance.run(JournalModule.self) }

    @Test("Session conforms")
    func session() async throws { try await ModuleConformance.run(SessionModule.self) }

    @Test("UserProfile conforms")
    func userProfile() async throws {
        try await ModuleConformance.run(UserProfileModule.self, with: SessionModule.self)
    }

    @Test("Entities conforms")
    func entities() async throws { try await ModuleConformance.run(EntitiesModule.self) }

    @Test("Stories are compared with their accepted texts in the package of the test")
    func stories() async throws {
        let package = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: package) }
        let (texts, test) = (package.appending(path: "Stories/Session"), package.path + "/Tests/T.swift")
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
        try Data().write(to: package.appending(path: "Package.swift"))
        func findings(updates: Bool) async throws -> [String] {
            try await TestHost(SessionModule.self).conformance(ofTestIn: test, updates: updates).findings
                .map(\.message)
        }

        #expect(try await findings(updates: false) == [])
        #expect(try await findings(updates: true) == [])
        #expect(try await findings(updates: false) == [])
        let names = try FileManager.default.contentsOfDirectory(atPath: texts.path).sorted()
        let changed = texts.appending(path: names[0])
        let text = try String(contentsOf: changed, encoding: .utf8)
        #expect(text.hasPrefix("-- 40 columns --\n") && text.contains("\n\n-- 120 columns --\n"))
        try text.replacing("40 columns --\n", with: "40 columns --\nMore\n")
            .write(to: changed, atomically: true, encoding: .utf8)
        try FileManager.default.moveItem(
            at: texts.appending(path: names[1]), to: texts.appending(path: "gone.txt"))
        let found = try await findings(updates: false)
        #expect(found.count == 3)
        #expect(
            found.contains {
                $0.contains(" at 40 columns: line 2 is ") && $0.hasSuffix(", expected 'More'.")
            })
        #expect(found.contains { $0.hasSuffix(" has no accepted text.") })
        #expect(found.last == "No story has the accepted text 'Stories/Session/gone.txt'.")
        #expect(try await findings(updates: true) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: texts.path).sorted() == names)
    }

    @Test("Each broken rule is found, once")
    func wrong() async throws {
        let findings = try await TestHost(WrongModule.self).conformance().findings

        #expect(
            findings.map { "\($0.check): \($0.message)" } == [
                "links: The link 'wrong/1' of 'wrong/:number' loses a part of its destination.",
                "links: A stack entry of 'wrong/:number' loses a part of its destination.",
                "layout: 'wrong/:number' has two values under the key 'words'; programs see the last one only "
                    + "(scenario success, guest, not loaded).",
                "savedState: WrongViewModel of 'wrong/:number' saves another state after it was restored.",
                "release: WrongViewModel of 'wrong/:number' is alive after the screen was left "
                    + "(scenario success, guest).",
                "layout: 'empty' shows nothing (scenario success, guest, not loaded).",
                "mocks: The mock of WrongService has no scenarios.",
                "actions: 'do' of 'wrong/:number' has no summary for 'help'.",
                "actions: The argument 'what' of 'do' of 'wrong/:number' has no summary for 'help'.",
                "migrations: From version 1, with a row in each table: Migration 2 'limit lengths' of module "
                    + "'Wrong' failed: CHECK constraint failed: length > 5.",
                "update: The stack, or the state of its view models, is another one afterwards.",
                "update: The module's state is another one afterwards.",
                "removal: WrongModule is alive.", "removal: WrongViewModel is alive.",
            ])
    }
}
