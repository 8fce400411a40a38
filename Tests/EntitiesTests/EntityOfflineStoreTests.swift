import AtriumStorage
import AtriumTesting
import Foundation
import TestSupport
import Testing

@testable import AtriumKit
@testable import Entities

@Suite("Entity offline store")
struct EntityOfflineStoreTests {
    private let storage = TemporaryDatabase(owner: "Entities", migrations: EntityQueries.migrations)
    private let clock = FixedClock()

    private var copy: AccountCopy { copy(of: "ada") }

    private func copy(
        of account: String?, at server: String = "http://test", capacity: Int = 1_000
    ) -> AccountCopy {
        AccountCopy(
            store: OfflineStore(
                database: storage.database, server: server, clock: clock, logger: RecordingLog().logger,
                capacity: capacity),
            account: account)
    }

    private func entity(_ id: Int, _ name: String, _ category: String? = nil) -> Entity {
        let moment = Timestamp(microseconds: 1_000_000 * Int64(id))
        return Entity(
            id: id, name: name, category: category, notes: nil, createdAt: moment, updatedAt: moment)
    }

    /// Entities with these ids: 1 is named a, 2 is named b, and so on.
    private func entities(_ ids: [Int]) -> [Entity] {
        ids.map { entity($0, String(Unicode.Scalar(UInt8(96 + $0)))) }
    }

    private func page(
        _ query: EntityQuery, _ ids: [Int], of total: Int
    ) -> (query: EntityQuery, page: EntityPage) {
        (query, EntityPage(rows: entities(ids), total: total))
    }

    private func ids(_ query: EntityQuery) async throws -> [Int]? {
        try await copy.page(query)?.value.rows.map(\.id)
    }

    @Test("A new store is empty")
    func empty() async throws {
        #expect(try await copy.page(EntityQuery()) == nil)
        #expect(try await copy.entity(1) == nil)
    }

    @Test("A saved page is returned with the time it was saved; other pages are nil")
    func pages() async throws {
        let query = EntityQuery(size: 2)
        try await copy.keep(page(query, [1, 2], of: 5))
        let seen = clock.now()
        clock.advance(seconds: 60)

        let known = try await copy.page(query)

        #expect(known?.value == page(query, [1, 2], of: 5).page)
        #expect(known?.asOf == seen)
        #expect(try await copy.page(query.onPage(2)) == nil)
        #expect(try await copy.page(EntityQuery(size: 2, sort: .newest)) == nil)
        #expect(try await copy.page(EntityQuery(size: 2, search: "a")) == nil)
        #expect(try await copy.page(EntityQuery(size: 3)) == nil)
        #expect(try await ids(EntityQuery(page: 2, size: 1)) == [2])
    }

    @Test("A page past the end of a saved list is empty")
    func behind() async throws {
        try await copy.keep(page(EntityQuery(), [], of: 0))

        let known = try await copy.page(EntityQuery(page: 3))

        #expect(known?.value == EntityPage(rows: [], total: 0))
        #expect(known?.asOf == clock.now())
    }

    @Test("Filters ignore case")
    func filters() async throws {
        try await copy.keep(page(EntityQuery(size: 2, category: "Light", search: "É"), [1, 2], of: 9))

        #expect(try await ids(EntityQuery(size: 2, category: "LIGHT", search: "é")) == [1, 2])
        #expect(try await copy.page(EntityQuery(size: 2, category: "Light")) == nil)
    }

    @Test("A page is as old as its oldest part")
    func ages() async throws {
        let query = EntityQuery(size: 1)
        let seen = clock.now()
        try await copy.keep(page(query, [1], of: 3))
        clock.advance(seconds: 60)
        try await copy.keep(page(query.onPage(2), [2], of: 3))
        try await copy.keep(entity(1, "a", "new"))

        let known = try await copy.page(EntityQuery(size: 2))

        #expect(known?.value.rows == [entity(1, "a", "new"), entity(2, "b")])
        #expect(known?.asOf == seen)
        let single = try await copy.entity(1)
        #expect(single?.asOf == seen.adding(seconds: 60))
        #expect(single?.value == entity(1, "a", "new"))
    }

    @Test("A new total drops the pages that were saved with the old one")
    func changedTotal() async throws {
        let query = EntityQuery(size: 2)
        try await copy.keep(page(query, [1, 2], of: 4))
        try await copy.keep(page(query.onPage(2), [4, 5], of: 5))

        #expect(try await ids(query) == nil)
        #expect(try await ids(query.onPage(2)) == [4, 5])
    }

    @Test("An entity that moved to another page invalidates its old page")
    func moved() async throws {
        let query = EntityQuery(size: 2)
        try await copy.keep(page(query, [1, 2], of: 4))
        try await copy.keep(page(query.onPage(2), [3, 1], of: 4))

        #expect(try await ids(query) == nil)
        #expect(try await ids(query.onPage(2)) == [3, 1])
    }

    @Test("A removed entity leaves every list, and the rows after it move up")
    func forget() async throws {
        let query = EntityQuery(size: 2)
        try await copy.keep(page(query, [1, 2], of: 4))
        try await copy.keep(page(query.onPage(2), [3, 4], of: 4))
        try await copy.keep(page(EntityQuery(size: 2, sort: .newest), [4, 3], of: 4))

        try await copy.forget(2)
        try await copy.forget(42)

        #expect(try await ids(query) == [1, 3])
        #expect(try await copy.page(query.onPage(2))?.value == page(query.onPage(2), [4], of: 3).page)
        #expect(try await ids(EntityQuery(size: 2, sort: .newest)) == [4, 3])
        #expect(try await copy.entity(2) == nil)
    }

    @Test("An entity that no longer matches a filter leaves its list")
    func leaving() async throws {
        let light = EntityQuery(category: "light")
        let rows = [entity(1, "a", "Light"), entity(2, "b", "light")]
        try await copy.keep((light, EntityPage(rows: rows, total: 2)))
        try await copy.keep((EntityQuery(search: "b l"), EntityPage(rows: [], total: 0)))

        try await copy.keep(entity(1, "a", "seats"))

        #expect(try await copy.page(light)?.value == EntityPage(rows: [rows[1]], total: 1))
    }

    @Test("A complete unfiltered list answers every query")
    func workedOut() async throws {
        let rows = [entity(1, "b", "x"), entity(2, "A", "y"), entity(3, "c", "X"), entity(4, "ab", "x")]
        let seen = clock.now()
        let first = EntityQuery(size: 3, sort: .oldest)
        try await copy.keep((first, EntityPage(rows: Array(rows.prefix(3)), total: 4)))
        clock.advance(seconds: 60)
        #expect(try await copy.page(EntityQuery()) == nil)
        try await copy.keep((first.onPage(2), EntityPage(rows: [rows[3]], total: 4)))

        for query in EntityStep.queries {
            let mock = mockEntityService(clock: clock, entities: rows)
            let (known, expected) = try await (copy.page(query), mock.page(query))

            #expect(known?.value == expected, "\(query)")
            #expect(
                known?.asOf
                    == (query.sort == .oldest && !query.isLimited && query.page == 2 ? clock.now() : seen))
        }
    }

    @Test("Beyond the capacity, the least recently saved list is removed")
    func capacity() async throws {
        let copy = copy(of: "ada", capacity: 2)
        for search in ["a", "b", "c"] {
            try await copy.keep(page(EntityQuery(size: 2, search: search), [1, 2], of: 6))
            clock.advance(seconds: 1)
        }

        #expect(try await copy.page(EntityQuery(size: 2, search: "a")) == nil)
        #expect(try await copy.page(EntityQuery(size: 2, search: "b")) != nil)
        #expect(try await storage.count("answerCopies") == 2)
    }

    @Test("A list keeps at most 1,000 rows; the least recently saved ones are removed")
    func longList() async throws {
        let query = EntityQuery(size: 500)
        for number in 1...3 {
            let rows = (1...500).map { entity((number - 1) * 500 + $0, "x") }
            try await copy.keep((query.onPage(number), EntityPage(rows: rows, total: 1_500)))
            clock.advance(seconds: 1)
        }

        #expect(try await copy.page(query) == nil)
        #expect(try await copy.page(query.onPage(2))?.value.rows.first?.id == 501)
        #expect(try await copy.page(query.onPage(3))?.value.rows.last?.id == 1_500)
    }

    @Test("Accounts and servers do not share data", arguments: [nil, "ada"])
    func owners(_ account: String?) async throws {
        let owner = copy(of: account)
        let others = [
            copy(of: "grace"), copy(of: account == nil ? "" : nil), copy(of: account, at: "http://other"),
        ]
        try await owner.keep(page(EntityQuery(), [1, 2], of: 2))

        for other in others {
            #expect(try await other.page(EntityQuery()) == nil)
            #expect(try await other.page(EntityQuery(search: "a")) == nil)
            #expect(try await other.entity(1) == nil)
            try await other.keep(page(EntityQuery(), [3], of: 1))
            try await other.keep(entity(2, "another"))
            try await other.forget(1)
        }

        #expect(try await owner.page(EntityQuery())?.value == page(EntityQuery(), [1, 2], of: 2).page)
        #expect(try await owner.entity(1)?.value == entity(1, "a"))
        for other in others { #expect(try await other.page(EntityQuery())?.value.rows == entities([3])) }
    }

    @Test("Categories are returned for the same query and account only")
    func categories() async throws {
        let (store, query) = (
            RecordOfflineStore<Entity>(copy.store), CategoryQuery(sort: .mostUsed, limit: 3)
        )
        let list = CategoryList(rows: [EntityCategory(name: "Light", count: 2)], total: 9)
        await store.save(list, for: query, account: "ada")

        #expect(await store.values(query, account: "ada") == Stale(list, asOf: clock.now()))
        #expect(await store.values(CategoryQuery(limit: 3), account: "ada") == nil)
        #expect(await store.values(CategoryQuery(sort: .mostUsed, limit: 4), account: "ada") == nil)
        #expect(await store.values(query, account: nil) == nil)
    }

    @Test("Migrating drops the tables of earlier versions")
    func formerTables() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "module.sqlite").path(percentEncoded: false)
        let tables = ["copiedPlaces", "copiedLists", "copiedEntities", "copyOwners"]
        let sql = tables.map { "CREATE TABLE \($0) (id INTEGER) STRICT;" }.joined()
        let former = SQLiteDatabase(
            path: path, owner: "Entities",
            migrations: Array(EntityQueries.migrations.prefix(3)) + [
                Migration(4, "create the former tables", sql: sql), OfflineStore.migration(5),
            ])
        _ = try await former.write {
            try $0.execute("INSERT INTO copiedLists VALUES (1)", [])
        }
        await former.close()
        // As in a file of an earlier host: its application_id is 0.
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: 68)
        try file.write(contentsOf: Data(count: 4))
        try file.close()

        let database = SQLiteDatabase(path: path, owner: "Entities", migrations: EntityQueries.migrations)

        let left = try await database.read { connection in
            try connection.query("SELECT name FROM sqlite_schema WHERE name LIKE 'cop%'", []) {
                try $0.value(0, as: String.self)
            }
        }
        #expect(left == [])
        await database.close()
    }

    @Test("The offline store and environment local do not share entities")
    func apart() async throws {
        let local = LocalEntityService(database: storage.database, clock: clock)
        _ = try await local.create(EntityDraft(name: "local"))
        try await copy.keep(page(EntityQuery(), [1, 2], of: 2))

        #expect(try await local.page(EntityQuery()).rows.map(\.name) == ["local"])
        #expect(try await ids(EntityQuery()) == [1, 2])
    }

    @Test("The store 'none' saves nothing")
    func none() async throws {
        let copy = AccountCopy(store: OfflineStore.none, account: "ada")
        try await copy.keep(page(EntityQuery(), [1], of: 1))
        try await copy.keep(entity(1, "a"))
        try await copy.forget(1)

        #expect(try await copy.page(EntityQuery()) == nil)
        #expect(try await copy.entity(1) == nil)
    }
}

/// The store as one account sees it.
private struct AccountCopy {
    let store: OfflineStore
    let account: String?

    private var records: RecordOfflineStore<Entity> { RecordOfflineStore(store) }

    func keep(_ page: (query: EntityQuery, page: EntityPage)) async throws {
        await records.save(page.page, for: page.query, account: account)
    }
    func keep(_ entity: Entity) async throws { await records.save(entity, account: account) }
    func forget(_ id: Int) async throws { await records.remove(id, account: account) }
    func page(_ query: EntityQuery) async throws -> Stale<EntityPage>? {
        await records.page(query, account: account)
    }
    func entity(_ id: Int) async throws -> Stale<Entity>? { await records.record(id, account: account) }
}
