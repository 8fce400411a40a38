import AtriumConformance
import AtriumKit
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
