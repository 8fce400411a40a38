import AtriumStorage
import AtriumTesting
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import AtriumKit
@testable import Entities

@MainActor
@Suite("Local entity service")
struct LocalEntityServiceTests {
    private let storage = TemporaryDatabase(owner: "Entities", migrations: EntitiesModule.migrations)
    private let clock = FixedClock()

    private var service: LocalEntityService { LocalEntityService(database: storage.database, clock: clock) }

    @Test("Stored totals follow creations, updates and deletions")
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
        "All entities of a list are deleted, their totals and texts too, and no other",
        arguments: [
            (EntityQuery(), []), (EntityQuery(category: "A"), ["plain lamp"]),
            (EntityQuery(search: "lamp"), ["chair"]),
            (EntityQuery(category: "a", search: "lamp"), ["chair", "plain lamp"]),
            (EntityQuery(search: "nobody"), ["chair", "lamp", "plain lamp"]),
        ])
    func deletesAll(_ query: EntityQuery, _ names: [String]) async throws {
        _ = try await service.create(EntityDraft(name: "lamp", category: "a"))
        _ = try await service.create(EntityDraft(name: "chair", category: "A"))
        _ = try await service.create(EntityDraft(name: "plain lamp"))

        let count = try await service.deleteAll(query) { _ in }

        #expect(count == 3 - names.count)
        #expect(try await service.page(EntityQuery()).rows.map(\.name) == names)
        #expect(try await service.page(EntityQuery()).total == names.count)
        let lamps = names.filter { $0.contains("lamp") }
        #expect(try await service.page(EntityQuery(search: "lamp")).rows.map(\.name) == lamps)
        let categories = try await storage.dump("categoryTotals")
        #expect(
            categories.count == (names.contains("chair") ? 1 : 0) + (names.contains("plain lamp") ? 1 : 0))
    }

    @Test(
        "A page query uses one index and no sort", arguments: EntitySort.allCases, [nil, "a"])
    func plan(_ sort: EntitySort, _ category: String?) async throws {
        let query = EntityQuery(sort: sort, category: category)
        let filter = EntityQueries.filterArguments(query, .sqlite) + [.integer(20), .integer(0)]
        let last = Entity(id: 7, name: "a", createdAt: clock.now())

        let start = try await plan(EntityQueries.page(query, .sqlite), filter)
        let rest = try await plan(
            EntityQueries.page(query, .sqlite, after: last),
            EntityQueries.arguments(after: last, sort) + filter)

        let index = category == nil ? "entities_" : "entities_category_"
        let column = [.name, .nameDescending].contains(sort) ? "name" : "created"
        for steps in [start, rest] {
            #expect(steps.count == 1)
            #expect(steps.allSatisfy { $0.contains("USING INDEX \(index)\(column)") }, "\(steps)")
        }
        // It begins at the entity, instead of counting up to it.
        #expect(rest[0].hasPrefix("SEARCH entities"), "\(rest)")
        #expect(rest[0].contains(sort == .name || sort == .oldest ? ">?" : "<?"), "\(rest)")
    }

    private func plan(_ sql: String, _ arguments: [DatabaseValue]) async throws -> [String] {
        try await storage.database.read { connection in
            try connection.query("EXPLAIN QUERY PLAN " + sql, arguments) { row in
                try row.value("detail", as: String.self)
            }
        }
    }

    @Test("A search for fewer than three characters scans the table")
    func searchPlan() async throws {
        let query = EntityQuery(search: "ab")

        let steps = try await plan(
            EntityQueries.page(query, .sqlite),
            EntityQueries.filterArguments(query, .sqlite) + [.integer(20), .integer(0)])

        #expect(steps == ["SCAN entities", "USE TEMP B-TREE FOR ORDER BY"])
    }

    @Test(
        "A search for three characters uses the search index for rows and total",
        arguments: EntitySort.allCases, [nil, "a"])
    func indexedPlan(_ sort: EntitySort, _ category: String?) async throws {
        let query = EntityQuery(sort: sort, category: category, search: "abc")
        let filter = EntityQueries.filterArguments(query, .sqlite)

        let page = try await plan(EntityQueries.page(query, .sqlite), filter + [.integer(20), .integer(0)])
        let total = try await plan(EntityQueries.total(query, .sqlite), filter)

        #expect(page.count == 3)
        #expect(page[0].hasPrefix("SCAN entitySearch VIRTUAL TABLE INDEX"))
        #expect(page[1] == "SEARCH entities USING INTEGER PRIMARY KEY (rowid=?)")
        #expect(page[2] == "USE TEMP B-TREE FOR ORDER BY")
        #expect(total == Array(page.prefix(category == nil ? 1 : 2)))
    }

    // MARK: - Search index

    @Test("For random texts, a search returns the same page as the mock", arguments: [1, 2, 3] as [UInt64])
    func searchAgreement(_ seed: UInt64) async throws {
        let mock = mockEntityService(clock: clock, entities: [])
        let service = service
        var random = SeededGenerator(seed: seed)
        for draft in HostileTexts.drafts(80, using: &random) {
            // The clock may stand still or go backwards; entities of the same time are ordered by id.
            clock.advance(seconds: Int.random(in: -1...1, using: &random))
            _ = try await mock.create(draft)
            _ = try await service.create(draft)
        }
        for _ in 1...60 {
            let id = Int.random(in: 1...80, using: &random)
            let changes = EntityChanges(
                name: HostileTexts.text(lines: false, using: &random),
                notes: Bool.random(using: &random) ? HostileTexts.text(lines: true, using: &random) : nil)
            _ = try? await mock.update(id, changes)
            _ = try? await service.update(id, changes)
            guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
            _ = try? await mock.delete(id)
            _ = try? await service.delete(id)
        }
        var found = 0
        for _ in 1...400 {
            let text = HostileTexts.text(lines: false, using: &random)
            let start = text.unicodeScalars.prefix(Int.random(in: 1...6, using: &random))
            let query = EntityQuery(
                sort: EntitySort.allCases.randomElement(using: &random) ?? .name,
                category: Int.random(in: 0..<4, using: &random) == 0 ? "灯" : nil, search: String(start))
            guard (try? query.check()) != nil else { continue }

            let (expected, page) = try await (mock.page(query), service.page(query))

            #expect(page == expected, "\(query)")
            found += page.total
        }
        #expect(found > 400)
        try await checkIndex()
    }

    /// Runs SQLite's integrity check, which compares the index with the entities.
    private func checkIndex() async throws {
        _ = try await storage.database.write { connection in
            try connection.execute(
                "INSERT INTO entitySearch (entitySearch, rank) VALUES ('integrity-check', 1)")
        }
    }

    @Test("An update that changes only the normalization updates the index")
    func normalization() async throws {
        _ = try await service.create(EntityDraft(name: "caf\u{E9}"))

        _ = try await service.update(1, EntityChanges(name: "cafe\u{301}"))

        #expect(try await service.page(EntityQuery(search: "cafe\u{301}")).total == 1)
        #expect(try await service.page(EntityQuery(search: "caf\u{E9}")).total == 1)
        try await checkIndex()
    }

    @Test("Migrating indexes the entities of the previous version")
    func migration() async throws {
        let folder = TemporaryFolder()
        let old = SQLiteDatabase(
            path: folder.path("a.sqlite"), owner: "Entities",
            migrations: Array(EntityQueries.migrations.prefix(1)))
        let now = clock.now()
        try await old.write { connection in
            for name in ["Lampshade", "Vase"] {
                try connection.execute(
                    EntityQueries.insertReturningID,
                    EntityQueries.arguments(
                        inserting: EntityDraft(name: name, category: "a").stamped(at: now, isNew: true)))
            }
        }
        await old.close()

        let new = SQLiteDatabase(
            path: folder.path("a.sqlite"), owner: "Entities", migrations: EntityQueries.migrations)
        let service = LocalEntityService(database: new, clock: clock)

        #expect(try await service.names(EntityQuery(search: "mpsh")) == ["Lampshade"])
        #expect(try await service.delete(1)?.name == "Lampshade")
        #expect(try await service.page(EntityQuery(search: "mpsh")).total == 0)
    }

    // MARK: - Failed imports

    @Test("If the database gets full during an import, nothing is imported")
    func fullDatabase() async throws {
        let folder = TemporaryFolder()
        let text =
            "name,notes\n" + (1...3_000).map { "Row \($0),\(String(repeating: "x", count: 200))\n" }.joined()
        let file = try EntityFile(folder.write(text.utf8, to: "a.csv"))
        let before = try await service.create(EntityDraft(name: "Before"))
        try await storage.database.write { connection in
            _ = try connection.query("PRAGMA max_page_count = 300", []) { _ in }
        }
        let reported = Mutex(0)

        let error = await #expect(throws: DatabaseError.self) {
            try await service.importEntities(from: file) { rows in reported.withLock { $0 = rows } }
        }

        #expect(error?.code == .diskFull)
        #expect(reported.withLock { $0 } >= 1_000)
        #expect(try await service.page(EntityQuery()).rows == [before])
        #expect(try await service.page(EntityQuery(search: "row")).total == 0)
        #expect(try await service.create(EntityDraft(name: "After")).id == 2)
        try await checkIndex()
    }

    @Test("If an import exceeds the file size limit, nothing is imported")
    func fileLimit() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let storage = TemporaryDatabase(owner: "Entities", migrations: EntityQueries.migrations)
            let service = LocalEntityService(database: storage.database, clock: FixedClock())
            let text =
                "name,notes\n"
                + (1...20_000).map { "Row \($0),\(String(repeating: "x", count: 200))\n" }.joined()
            let file = try EntityFile(folder.write(text.utf8, to: "a.csv"))
            let before = try await service.create(EntityDraft(name: "Before"))
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 2_000_000, rlim_max: 2_000_000)
            setrlimit(CInt(RLIMIT_FSIZE.rawValue), &limit)

            let error = await #expect(throws: DatabaseError.self) {
                try await service.importEntities(from: file) { _ in }
            }

            #expect(error?.code == .diskFull)
            #expect(try await service.page(EntityQuery()).rows == [before])
            #expect(try await service.create(EntityDraft(name: "After")).id == 2)
        }
    }

    @Test("If an import is cancelled halfway, nothing is imported")
    func cancelledImport() async throws {
        let folder = TemporaryFolder()
        let text = "name\n" + (1...5_000).map { "Row \($0)\n" }.joined()
        let file = try EntityFile(folder.write(text.utf8, to: "a.csv"))
        let service = service
        let running = Mutex<Task<Int, any Error>?>(nil)
        let task = Task {
            try await service.importEntities(from: file) { _ in running.withLock { $0?.cancel() } }
        }
        running.withLock { $0 = task }

        await #expect(throws: CancellationError.self) { try await task.value }

        #expect(try await service.page(EntityQuery()).total == 0)
        #expect(try await service.page(EntityQuery(search: "row")).total == 0)
    }

    @Test(
        "Listing categories uses an index and does not scan the entities",
        arguments: CategorySort.allCases)
    func categoriesPlan(_ sort: CategorySort) async throws {
        let steps = try await storage.database.read { connection in
            try connection.query(
                "EXPLAIN QUERY PLAN " + EntityQueries.categories(sort), [.integer(20)]
            ) {
                row in
                try row.value("detail", as: String.self)
            }
        }

        #expect(!steps.contains { $0.contains("SCAN entities") })
        #expect(
            steps.contains("SEARCH entities USING INDEX entities_category_created (categoryKey=?)"),
            "\(steps)")
    }

    @Test("SQL in texts is not executed")
    func injection() async throws {
        let text = "'; DROP TABLE entities; --"

        _ = try await service.create(EntityDraft(name: text, category: text, notes: text))
        let page = try await service.page(EntityQuery(category: text, search: text))

        #expect(page.rows.map(\.name) == [text])
    }

    @Test("Ten concurrent creations all succeed with different ids")
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
