import AtriumKit
import AtriumStorage
import AtriumTesting
import TestSupport
import Testing

@testable import Entities

@MainActor
@Suite("Local entity service")
struct LocalEntityServiceTests {
    private let storage = TemporaryDatabase(owner: "Entities", migrations: EntitiesModule.migrations)
    private let clock = FixedClock()

    private var service: LocalEntityService { LocalEntityService(database: storage.database, clock: clock) }

    @Test("Totals are kept as entities come, move and go")
    func totals() async throws {
        _ = try await service.create(EntityDraft(name: "1", category: "a"))
        _ = try await service.create(EntityDraft(name: "2", category: "A"))
        _ = try await service.create(EntityDraft(name: "3"))
        #expect(try await storage.dump("entityTotal") == ["integer(3)"])
        #expect(
            try await storage.dump("categoryTotals") == [#"text("")|integer(1)"#, #"text("a")|integer(2)"#])

        _ = try await service.update(1, EntityChanges(category: "b"))
        _ = try await service.update(2, EntityChanges(name: "two"))
        _ = try await service.update(2, EntityChanges(category: "a"))
        _ = try await service.delete(3)

        #expect(try await storage.dump("entityTotal") == ["integer(2)"])
        #expect(
            try await storage.dump("categoryTotals") == [#"text("a")|integer(1)"#, #"text("b")|integer(1)"#])
    }

    @Test(
        "A page walks one index and sorts nothing", arguments: EntitySort.allCases, [nil, "a"])
    func plan(_ sort: EntitySort, _ category: String?) async throws {
        let query = EntityQuery(sort: sort, category: category)
        let arguments = EntityQueries.filterArguments(query) + [.integer(20), .integer(0)]

        let steps = try await storage.database.read { connection in
            try connection.query("EXPLAIN QUERY PLAN " + EntityQueries.page(query), arguments) { row in
                try row.value("detail", as: String.self)
            }
        }

        let index = category == nil ? "entities_" : "entities_category_"
        let column = [.name, .nameDescending].contains(sort) ? "name" : "created"
        #expect(steps.count == 1)
        #expect(steps.allSatisfy { $0.contains("USING INDEX \(index)\(column)") })
    }

    @Test("A search reads the table in its own order")
    func searchPlan() async throws {
        let query = EntityQuery(search: "a")

        let steps = try await storage.database.read { connection in
            try connection.query(
                "EXPLAIN QUERY PLAN " + EntityQueries.page(query), [.text("a"), .integer(20), .integer(0)]
            ) { row in
                try row.value("detail", as: String.self)
            }
        }

        #expect(steps == ["SCAN entities", "USE TEMP B-TREE FOR ORDER BY"])
    }

    @Test(
        "Listing categories reads totals, and of each category one entity by an index",
        arguments: CategorySort.allCases)
    func categoriesPlan(_ sort: CategorySort) async throws {
        let steps = try await storage.database.read { connection in
            try connection.query("EXPLAIN QUERY PLAN " + EntityQueries.categories(sort), [.integer(20)]) {
                row in
                try row.value("detail", as: String.self)
            }
        }

        #expect(!steps.contains { $0.contains("SCAN entities") })
        #expect(
            steps.contains("SEARCH entities USING INDEX entities_category_created (categoryKey=?)"),
            "\(steps)")
    }

    @Test("A text that looks like SQL is a text")
    func injection() async throws {
        let text = "'; DROP TABLE entities; --"

        _ = try await service.create(EntityDraft(name: text, category: text, notes: text))
        let page = try await service.page(EntityQuery(category: text, search: text))

        #expect(page.rows.map(\.name) == [text])
    }

    @Test("Ten at a time, all are created, each with an id of its own")
    func concurrentCreates() async throws {
        let service = service

        let ids = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 1...10 {
                group.addTask { try await service.create(EntityDraft(name: "\(index)")).id }
            }
            var ids: Set<Int> = []
            for try await id in group { ids.insert(id) }
            return ids
        }

        #expect(ids == Set(1...10))
        #expect(try await service.page(EntityQuery()).total == 10)
    }
}
