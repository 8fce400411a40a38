@_spi(Host) import AtriumKit
import AtriumTesting
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import AtriumBackup
@testable import AtriumLibraries
@testable import AtriumModules
@testable import AtriumStorage

@MainActor
@Suite("Snapshots of data in PostgreSQL", .timeLimit(.minutes(2)))
struct ServerSnapshotTests {
    private let folder = TemporaryFolder()
    private let data: DataFolder
    private let module = "Notes\(UInt64.random(in: 0 ... .max))"
    private let tables: any ManagedDatabase
    private let snapshots: Snapshots

    private static let migrations = [
        Migration(
            1, "create notes",
            postgresql: """
                CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text, more json);
                CREATE TABLE total (count bigint);
                INSERT INTO total VALUES (0);
                CREATE FUNCTION count_notes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
                    UPDATE total SET count = count + CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
                    RETURN NULL;
                END $$;
                CREATE TRIGGER counted AFTER INSERT OR DELETE ON notes FOR EACH ROW EXECUTE FUNCTION count_notes();
                CREATE TABLE assets (id bigint PRIMARY KEY, name text);
                CREATE TABLE cars (wheels int) INHERITS (assets);
                CREATE TABLE people (
                    id bigint PRIMARY KEY, boss bigint REFERENCES people, twice bigint GENERATED ALWAYS AS (id * 2) STORED
                );
                CREATE TABLE loans (
                    id bigserial PRIMARY KEY, person bigint REFERENCES people ON DELETE RESTRICT,
                    other bigint REFERENCES people ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
                );
                """)
    ]

    init() async throws {
        data = try DataFolder(explicit: folder.path("data"))
        try data.prepare()
        let runtime = ModuleRuntime(
            modules: [], searchPaths: [], storeFolder: folder.path("store"), site: EmptySite())
        let (url, module) = (try PostgreSQLServer.shared().url, module)
        snapshots = Snapshots(of: data, runtime, version: "1.2.0", clock: FixedClock())
        snapshots.patience = .milliseconds(50)
        snapshots.moduleNames = { [module] }
        snapshots.server = Self.copies(at: url)
        tables = try PostgreSQLEngine().database(of: module, migrations: Self.migrations, at: url)
        try await tables.write { connection in
            try connection.execute(
                "INSERT INTO notes (text, more) VALUES ('before', '{}'), ('stays', '[1]'), (NULL, NULL)")
            try connection.execute("INSERT INTO assets VALUES (1, 'desk')")
            try connection.execute("INSERT INTO cars VALUES (2, 'van', 4)")
            try connection.execute("INSERT INTO people VALUES (1, NULL), (2, 1), (3, 3)")
            _ = try connection.execute("INSERT INTO loans (person, other) VALUES (1, 2), (3, NULL)")
        }
        try "before".write(toFile: data.path("session-local.json"), atomically: false, encoding: .utf8)
    }

    private static func copies(at url: String) -> ServerCopies {
        let engine = PostgreSQLEngine()
        return ServerCopies {
            ServerDatabase(isEngineLoaded: { true }) {
                try engine.database(of: ServerCopies.owner, migrations: ServerCopies.migrations, at: url)
            }
        }
    }

    private func change() async throws {
        try await tables.write { connection in
            try connection.execute("INSERT INTO notes (text) VALUES ('new')")
            try connection.execute("UPDATE notes SET text = 'after' WHERE text = 'before'")
            try connection.execute("UPDATE assets SET name = name || '!'")
            try connection.execute("DELETE FROM loans WHERE person = 1")
            try connection.execute("UPDATE people SET boss = 3 WHERE id = 2")
            _ = try connection.execute("INSERT INTO loans (person) VALUES (2)")
        }
        try "after".write(toFile: data.path("session-local.json"), atomically: false, encoding: .utf8)
    }

    /// The highest number of a note.
    private var highest: Int? {
        get async throws {
            try await tables.read { connection in
                try connection.first("SELECT max(id) FROM notes", []) { try $0.value(0, as: Int.self) }
            }
        }
    }

    /// All rows, and the session.
    private var state: [String] {
        get async throws {
            let rows = try await tables.read { connection in
                try ["notes", "total", "people", "loans", "assets", "cars"].map { table in
                    try connection.first(
                        "SELECT coalesce(string_agg(row::text, ' ' ORDER BY row::text), '') FROM \(table) AS row",
                        []
                    ) { try $0.value(0, as: String.self) } ?? ""
                }
            }
            return rows + [String(decoding: contents(data.path("session-local.json")), as: UTF8.self)]
        }
    }

    @Test("A reset returns rows, totals of triggers, numbers and files, and can be undone")
    func reset() async throws {
        let before = try await state
        let saved = try await snapshots.save("start")
        try await change()
        let after = try await state
        let changed = try #require(try await highest)
        let work = snapshots.runtime.work
        snapshots.didStep = { _ in _ = #expect(throws: ModuleError.self) { try work.begin() } }

        _ = try await snapshots.reset("start")

        work.end(try work.begin())
        #expect(saved.databases == [module: 1])
        #expect(try await state == before)
        let next = try await tables.write { connection in
            try connection.first("INSERT INTO notes (text) VALUES ('next') RETURNING id", []) {
                try $0.value(0, as: Int.self)
            }
        }
        // A transaction that is begun again takes another number.
        #expect(try #require(next) <= changed)
        #expect(try await state[1] == "(4)")
        _ = try await snapshots.reset("start")
        try await change()
        _ = try await snapshots.reset("start")
        _ = try await snapshots.reset("before-reset")
        #expect(try await state == after)
        try await snapshots.delete("start")
        #expect(snapshots.names == ["before-reset"])
    }

    @Test("A reset that fails on the server changes no row, no number and no file")
    func failure() async throws {
        _ = try await snapshots.save("start")
        try await change()
        let after = try await state
        // Rows are inserted after others were deleted.
        try await tables.write { connection in
            _ = try connection.execute("ALTER TABLE notes ADD CHECK (text <> 'before') NOT VALID")
        }

        await #expect(throws: DatabaseError.self) { try await snapshots.reset("start") }

        #expect(try await state == after)
        #expect(snapshots.names == ["start"])
        #expect(try data.entries.isDisjoint(with: ["resetting", "reset.json", PendingReset.fileName]))
    }

    @Test("A host that is killed before the commit has changed nothing; one killed after it is completed")
    func kills() async throws {
        _ = try await snapshots.save("start")
        try await change()
        var copies: [(step: String, path: String)] = []
        snapshots.didStep = { step in
            let path = folder.path("killed-\(copies.count)")
            try FileManager.default.copyItem(atPath: data.path, toPath: path)
            copies.append((step, path))
        }

        _ = try await snapshots.reset("start")

        #expect(copies.count > 2, "\(copies.map(\.step))")
        for (step, path) in copies { try await restart(expecting: "before", in: path, step) }
        // What a kill before the commit leaves: the files are prepared, and the server knows no such reset.
        try await change()
        let (step, path) = copies[0]
        for name in ["reset.json", "session-local.json", "resetting"] {
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
        for name in ["new/files", "old"] {
            try FileManager.default.createDirectory(
                atPath: "\(path)/resetting/\(name)", withIntermediateDirectories: true)
        }
        try "before".write(
            toFile: "\(path)/resetting/new/session-local.json", atomically: false, encoding: .utf8)
        try "after".write(toFile: "\(path)/session-local.json", atomically: false, encoding: .utf8)
        let former = try #require(snapshots.all.first?.snapshot)
        let record = StateFile(path: "\(path)/\(PendingReset.fileName)", isDurable: false)
        let reset = PendingReset(token: ServerCopies.newID(), former: former)
        try record.save(reset)
        let other = try await settle(path, on: Self.copies(at: otherURL()))
        #expect(other?.message.contains("does not use that database") == true)
        #expect(try record.peek(PendingReset.self)?.token == reset.token)
        try await restart(expecting: "after", in: path, "before \(step)")
        // The host was killed before it removed the record, and asks again.
        try FileManager.default.createDirectory(
            atPath: "\(path)/resetting/new/files", withIntermediateDirectories: true)
        try record.save(reset)
        try await restart(expecting: "after", in: path, "again, before \(step)")
    }

    /// The URL of a second database.
    private func otherURL() throws -> String {
        try PostgreSQLServer.shared().url.replacing("///atrium?", with: "///postgres?")
    }

    private func settle(_ path: String, on server: ServerCopies?) async throws -> (any ExplainedError)? {
        let next = Snapshots(
            of: try DataFolder(explicit: path),
            ModuleRuntime(modules: [], searchPaths: [], storeFolder: folder.path("store"), site: EmptySite()),
            version: "1.2.0", clock: FixedClock())
        next.server = server
        return await next.settle()
    }

    /// Starts a host on a folder, as far as its resets are concerned.
    private func restart(expecting session: String, in path: String, _ step: String) async throws {
        let killed = try DataFolder(explicit: path)
        _ = try Snapshots.complete(in: killed)
        _ = try await settle(path, on: snapshots.server)
        #expect(
            String(decoding: contents("\(path)/session-local.json"), as: UTF8.self) == session, "\(step)")
        #expect(
            try killed.entries.isDisjoint(with: ["resetting", "reset.json", PendingReset.fileName]), "\(step)"
        )
    }

    @Test("A role that does not own the tables is refused, with the statement that grants it")
    func rights() async throws {
        let role = "reader_\(module.lowercased())"
        let (url, module) = (try PostgreSQLServer.shared().url, module)
        try await snapshots.server?.prepare()
        try await tables.write { connection in
            for statement in [
                "CREATE ROLE \(role) LOGIN",
                "GRANT USAGE ON SCHEMA \"\(module)\", atrium_snapshots TO \(role)",
                "GRANT ALL ON ALL TABLES IN SCHEMA \"\(module)\", atrium_snapshots TO \(role)",
                "GRANT USAGE ON SCHEMA atrium_changes TO \(role)",
                "GRANT ALL ON ALL TABLES IN SCHEMA atrium_changes TO \(role)",
            ] { try connection.execute(statement) }
        }
        snapshots.server = Self.copies(at: url.replacing("user=atrium", with: "user=\(role)"))

        let error = await #expect(throws: BackupError.self) { try await snapshots.save("start") }

        #expect(error?.message.contains("belongs to role 'atrium', and this host uses '\(role)'") == true)
        #expect(error?.hint?.contains("GRANT \"atrium\" TO \"\(role)\"") == true)
        #expect(snapshots.names.isEmpty)
    }

    @Test("Snapshots of files and of a server, and of another database, are told apart")
    func elsewhere() async throws {
        let saved = try await snapshots.save("start")
        let here = snapshots.server
        snapshots.server = Self.copies(at: try otherURL())
        let undeleted = await #expect(throws: BackupError.self) { try await snapshots.delete("start") }
        #expect(undeleted?.message.contains("has its rows in database") == true)
        #expect(snapshots.names == ["start"])
        snapshots.server = here
        let id = try #require(saved.copy).id
        try await tables.write { connection in
            _ = try connection.execute("CREATE VIEW used AS SELECT * FROM atrium_snapshots.\"\(id)_0\"")
        }
        await #expect(throws: DatabaseError.self) { try await snapshots.delete("start") }
        #expect(snapshots.names == ["start"])
        try await tables.write { _ = try $0.execute("DROP VIEW used") }
        try await here?.delete(id)
        let before = try await state

        let gone = await #expect(throws: BackupError.self) { try await snapshots.reset("start") }
        snapshots.server = nil
        let other = await #expect(throws: BackupError.self) { try await snapshots.reset("start") }

        #expect(gone?.message.contains("not in this database") == true)
        #expect(other?.message.contains("has data on a database server") == true)
        #expect(try await state == before)
    }
}
