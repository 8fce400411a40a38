import AtriumKit
import AtriumTesting
import Testing

@testable import Entities
@testable import Session
@testable import UserProfile

@Suite("Stories")
@MainActor
struct StoryTests {
    private func rows(_ host: TestHost) async throws -> [JSONObject] {
        guard case .array(let rows)? = try await host.run("stories").json["rows"] else { return [] }
        return rows.compactMap { if case .object(let row) = $0 { row } else { nil } }
    }

    @Test("Records have stories without a line, and a story shows its state and changes nothing")
    func records() async throws {
        let host = try await TestHost(EntitiesModule.self)

        let rows = try await rows(host)

        #expect(
            rows.map { $0["name"] } == [
                "Entities/entities", "Entities/entities-one-page", "Entities/entities-empty",
                "Entities/entities-loading", "Entities/entities-failed", "Entities/entities-edge-cases",
                "Entities/new-entity", "Entities/entity", "Entities/entity-failed",
                "Entities/entity-edge-case", "Entities/edit-entity",
            ])
        #expect(rows.allSatisfy { $0["module"] == "Entities" && $0["link"] != JSONValue.null })
        let (all, empty) = (try await host.run("story entities"), try await host.run("story ENTITIES-EMPTY"))
        let failed = try await host.run("story Entities/entities-failed")
        #expect(all.json["rows"] != empty.json["rows"] && empty.json["rows"] == JSONValue.array([]))
        #expect(failed.text().ranges(of: "Problem: ").count == 1)
        #expect(try await host.run("entities").json["total"] == all.json["total"])
        #expect(host.stack.isEmpty)
    }

    @Test("A name that no story has is refused, with the nearest")
    func unknown() async throws {
        let host = try await TestHost(EntitiesModule.self)

        let error = await #expect(throws: ServiceError.self) {
            try await host.run("story Entities/entity-faild")
        }

        #expect(error?.message == "There is no story 'Entities/entity-faild'.")
        #expect(error?.hint == "Did you mean 'Entities/entity-failed'?")
    }

    @Test("A page has every story at three widths, and no script")
    func page() async throws {
        let host = try await TestHost(SessionModule.self)

        let page = try await host.run("stories --html").text()

        for width in [40, 80, 120] { #expect(page.ranges(of: "<pre class=\"w\(width)\">").count == 5) }
        #expect(page.contains("id=\"Session/signed-in\"") && !page.contains("<script"))
        #expect(page.contains("sample@example.com"))
    }
}
