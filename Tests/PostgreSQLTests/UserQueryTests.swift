@_spi(Host) import AtriumKit
import TestSupport
import Testing

@testable import PostgreSQL

@Suite("Queries of users in PostgreSQL")
struct UserQueryTests {
    private static let migrations =
        TestModule.migrations + [
            Migration(
                2, "create accounts",
                postgresql: """
                    CREATE TABLE accounts (
                        id bigint PRIMARY KEY, passwordHash text, pin text, api_key text,
                        start text GENERATED ALWAYS AS (left(passwordHash, 2)) STORED,
                        words tsvector GENERATED ALWAYS AS (to_tsvector('english', pin)) STORED,
                        label text GENERATED ALWAYS AS ('account ' || id::text) STORED);
                    CREATE VIEW hashes AS SELECT id, passwordHash AS hash FROM accounts;
                    CREATE VIEW nested AS SELECT hash AS h FROM hashes;
                    CREATE VIEW ids AS SELECT id FROM accounts;
                    CREATE SEQUENCE numbers;
                    CREATE FUNCTION hash() RETURNS text LANGUAGE sql STABLE
                        SET search_path FROM CURRENT AS 'SELECT passwordHash FROM accounts';
                    INSERT INTO accounts VALUES (1, 'hash', '1234');
                    """)
        ]

    private func stored() async throws -> any ManagedDatabase {
        let database = try TestModule().database(Self.migrations)
        for id in 1...3 { try await database.add(id, "n\(id)") }
        return database
    }

    @Test("Rows come with the names of their columns, up to the limit; no query lists the tables")
    func rows() async throws {
        let database = try await stored()

        let all = try await database.answer(
            DatabaseQuery("SELECT id, upper(text) AS t FROM notes ORDER BY id", limit: 3))
        let some = try await database.answer(DatabaseQuery("SELECT id FROM notes ORDER BY id", limit: 2))
        let tables = try await database.answer(DatabaseQuery(nil, limit: 10))
        let plan = try await database.answer(
            DatabaseQuery("SELECT * FROM notes WHERE id = 1", limit: 1, isPlan: true))

        #expect(all.columns == ["id", "t"] && all.rows.count == 3 && !all.isCut)
        #expect(all.rows[0] == [.integer(1), .text("N1")])
        #expect(some.rows == [[.integer(1)], [.integer(2)]] && some.isCut)
        #expect(tables.rows.contains([.text("notes"), .text("id, text, size")]), "\(tables.rows)")
        #expect(!plan.rows.isEmpty)
    }

    @Test("Nothing but reading the tables is possible, whatever the text")
    func refused() async throws {
        let database = try await stored()
        for sql in [
            "DELETE FROM notes", "WITH x AS (DELETE FROM notes RETURNING id) SELECT * FROM x",
            "SELECT 1; DELETE FROM notes", "SELECT id INTO other FROM notes",
            "SELECT id FROM notes FOR UPDATE", "COPY notes TO PROGRAM 'true'",
            "DO $$ BEGIN DELETE FROM notes; END $$", "SELECT nextval('numbers')",
            "SELECT set_config('transaction_read_only', 'off', false)", "SELECT pg_advisory_lock(1)",
            "SELECT pg_terminate_backend(1)", "SELECT pg_read_file('/etc/passwd')", "SELECT lo_create(0)",
            "SELECT query_to_xml('DELETE FROM notes', true, true, '')", "SELECT hash()",
            "SELECT table_to_xml('accounts', true, true, '')", "SELECT * FROM pg_stats",
            "SELECT usename FROM pg_user", "SELECT 1 WITH CHECK OPTION", "EXPLAIN SELECT 1", "SELECT ?", "",
            "SELECT current_setting('data_directory')",
            "SELECT 1 \0", "LISTEN x", "SET search_path TO public",
        ] {
            await #expect(throws: DatabaseError.self, "\(sql)") {
                try await database.answer(DatabaseQuery(sql, limit: 10))
            }
        }

        #expect(try await database.count() == 3)
    }

    @Test("A column with secrets can't be used under any name")
    func secrets() async throws {
        let database = try await stored()
        for sql in [
            "SELECT * FROM accounts", "SELECT passwordHash AS x FROM accounts",
            "SELECT accounts FROM accounts", "SELECT a.id, row_to_json(a) FROM accounts a",
            "SELECT s.id, s::text FROM (SELECT * FROM accounts) s", "SELECT hash FROM hashes",
            "SELECT h FROM nested", "SELECT api_key FROM accounts",
            "SELECT to_json(a) FROM accounts a", "SELECT id FROM accounts WHERE length(passwordhash) > 1",
            "SELECT id FROM accounts ORDER BY pin", "TABLE accounts",
            "SELECT x.a FROM (SELECT pin FROM accounts) AS x (a)", "SELECT start FROM accounts",
            "SELECT id FROM accounts WHERE words @@ 'open'",
        ] {
            let error = await #expect(throws: DatabaseError.self, "\(sql)") {
                try await database.answer(DatabaseQuery(sql, limit: 10, secrets: ["PIN"]))
            }
            #expect(error?.code == "hiddenColumn", "\(sql)")
        }

        let count = try await database.answer(
            DatabaseQuery("SELECT count(*) FROM accounts", limit: 1, secrets: ["pin"]))
        let label = try await database.answer(
            DatabaseQuery("SELECT label FROM accounts", limit: 1, secrets: ["pin"]))
        let ids = try await database.answer(
            DatabaseQuery("SELECT a.id FROM accounts a JOIN ids ON ids.id = a.id", limit: 1, secrets: ["pin"])
        )
        #expect(count.rows == [[.integer(1)]] && ids.rows == [[.integer(1)]])
        #expect(label.rows == [[.text("account 1")]])
    }

    @Test("Large rows are fetched until the answer is full; two columns of one name are explained")
    func large() async throws {
        let database = try await stored()

        let large = try await database.answer(
            DatabaseQuery("SELECT repeat('x', 1000000) FROM generate_series(1, 1000)", limit: 1000))
        let error = await #expect(throws: DatabaseError.self) {
            try await database.answer(
                DatabaseQuery("SELECT a.id, b.id FROM notes a JOIN notes b ON a.id = b.id", limit: 1))
        }
        let refused = await #expect(throws: DatabaseError.self) {
            try await database.answer(
                DatabaseQuery("SELECT 1 AS id, repeat('x', 3000000) AS text", limit: 1))
        }
        let beyond = try await database.answer(
            DatabaseQuery(
                "SELECT id, repeat('x', 4000000 * (id::int / 2)) FROM notes ORDER BY id", limit: 1))

        #expect(large.rows.count == 4 && large.isCut)
        #expect(refused?.code == "tooLarge")
        #expect(beyond.rows == [[.integer(1), .text("")]] && beyond.isCut)
        #expect(error?.hint == "Name each column: SELECT a.id AS a, b.id AS b")
    }
}
