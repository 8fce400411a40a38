import AtriumStorage
import AtriumTesting
import LiveTestSupport
import PostgreSQL
import TestSupport
import Testing

@testable @_spi(Host) import AtriumKit

@Suite("Migrations of records", .timeLimit(.minutes(5)))
struct RecordMigrationTests {
    /// The first version of a record.
    private struct First: Record {
        var id = 0
        var name = ""
        var shelf: String?
        static let table = "notes"
        static let fields: Fields<First> = [
            RecordField("name", \.name, .sorted), RecordField("shelf", \.shelf),
        ]
    }

    /// The same record after a field was renamed, others added, one removed, and an index added.
    private struct Last: Record {
        var id = 0
        var title = ""
        var pages = 1
        var color: String?
        static let table = "notes"
        static let formerFields = [FormerField("shelf", String?.self, removedIn: 4)]
        static let fields: Fields<Last> = [
            RecordField("title", \.title, .sorted, .renamed(from: "name", in: 2)),
            RecordField("pages", \.pages, .range(0...9), .added(in: 2), .filtered, .indexed(in: 3)),
            RecordField("color", \.color, .filtered, .added(in: 3)),
        ]
    }

    /// A record whose table comes later.
    private struct Later: Record {
        var id = 0
        var name = "x"
        static let tableVersion = 2
        static let fields: Fields<Later> = [RecordField("name", \.name, .unique)]
    }

    @Test(
        "A database of the first version is read by the last one", arguments: [Dialect.sqlite, .postgresql])
    func steps(_ dialect: Dialect) async throws {
        let name = unique("Notes")
        // A run that is undone leaves a gap in the ids.
        var limits = Limits()
        limits.repeatsWrites = false
        let folder = TemporaryFolder()
        func database(_ migrations: [Migration]) throws -> any ManagedDatabase {
            dialect == .sqlite
                ? SQLiteDatabase(path: folder.path("notes.sqlite"), owner: name, migrations: migrations)
                : try PostgreSQLEngine(limits).database(
                    of: name, migrations: migrations, at: try PostgreSQLServer.shared().url)
        }
        let former = try database(Migration.records(First.self))
        _ = try await TableRecordService<First>(database: former, clock: FixedClock()).create(
            First(name: "Ab", shelf: "A3"))
        await former.close()

        let present = try database(Migration.records(Last.self, Later.self))
        let service = TableRecordService<Last>(database: present, clock: FixedClock())

        #expect(try await service.page(RecordQuery()).rows == [Last(id: 1, title: "Ab")])
        #expect(try await service.create(Last(title: "aa", pages: 3, color: "Red")).id == 2)
        #expect(try await service.page(RecordQuery()).rows.map(\.title) == ["aa", "Ab"])
        var query = RecordQuery<Last>()
        query.filters = ["color": "RED", "pages": "3"]
        #expect(try await service.page(query).rows.map(\.id) == [2])
        #expect(
            try await TableRecordService<Later>(database: present, clock: FixedClock()).create(Later()).id
                == 1)
        await present.close()
    }

    @Test("Steps that only add are marked as such, others are not; the numbers have no gaps")
    func marks() {
        let migrations = Migration.records(Last.self, Later.self)

        #expect(migrations.map(\.version) == [1, 2, 3, 4])
        #expect(migrations.map(\.isBackwardCompatible) == [true, false, true, false])
    }

    @Test("Migrations of the module stand between those of its records, and gaps are filled")
    func together() {
        let own = [Migration(5, "own", sql: "SELECT 5"), Migration(7, "last", sql: "SELECT 7")]

        let migrations = Migration.records(Last.self, Later.self, and: own)

        #expect(migrations.map(\.version) == Array(1...7))
        #expect(migrations[4].name == "own" && migrations[6].name == "last")
        #expect(Migration.records(Last.self).map(\.version) == [1, 2, 3, 4])
    }

    @Test("The first step does not depend on later fields")
    func stability() throws {
        struct Grown: Record {
            var id = 0
            var name = ""
            var shelf: String?
            var more: String?
            static let table = "notes"
            static let fields: Fields<Grown> = [
                RecordField("more", \.more, .added(in: 2)), RecordField("name", \.name, .sorted),
                RecordField("shelf", \.shelf),
            ]
        }
        for dialect in [Dialect.sqlite, .postgresql] {
            #expect(
                Migration.records(Grown.self)[0].sql(for: dialect)
                    == Migration.records(First.self)[0].sql(for: dialect))
        }
    }
}
