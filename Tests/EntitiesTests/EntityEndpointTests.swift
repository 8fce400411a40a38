import TestSupport
import Testing

@testable import AtriumKit
@testable import Entities

@Suite("Entity endpoints")
struct EntityEndpointTests {
    @Test("Requests and answers are those of the server's description")
    func description() throws {
        let server = try ServerDescription()
        let lists = EntitySort.allCases.map {
            EntityQuery(page: 2, sort: $0, category: "light", search: "lamp")
        }
        let categories = [CategoryQuery(sort: .name, limit: 3), CategoryQuery(sort: .mostUsed, limit: 500)]
        let drafts = [EntityDraft(name: "Lamp", category: "light", notes: "Old."), EntityDraft(name: "Lamp")]
        let changes = [
            EntityChanges(name: "Lamp", category: "light", notes: "Old."), EntityChanges(notes: ""),
        ]

        let service = liveEntityService(ScriptedAPIClient())
        let endpoints =
            try lists.map { try server.compare(service.list($0, at: .page(2)), unread: ["page", "size"]) }
            + categories.map { try server.compare(service.values($0, at: "v1/categories")) }
            + drafts.map { try server.compare(service.creation($0)) }
            + changes.map { try server.compare(service.change(7, $0)) }
            + [
                server.compare(service.reading(7)), server.compare(service.deletion(7)),
                server.compare(service.importing("/tmp/lines")), server.compare(service.exporting),
            ]

        for endpoint in endpoints { #expect(endpoint.differences == [], "\(endpoint.endpoint)") }
        #expect(
            Set(endpoints.map(\.endpoint)) == [
                "GET /v1/entities", "GET /v1/entities/{id}", "GET /v1/categories", "POST /v1/entities",
                "PATCH /v1/entities/{id}", "DELETE /v1/entities/{id}", "POST /v1/entities/import",
                "GET /v1/entities/export",
            ])
    }
}
