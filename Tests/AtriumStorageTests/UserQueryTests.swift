@_spi(Host) import AtriumKit
import AtriumStorage
import TestSupport
import Testing

@Suite("Queries of users in SQLite")
struct UserQueryTests {
    private static let migrations =
        TestDatabase.migrations + [
            Migration(
                2, "create accounts",
                sql: """
                    CREATE TABLE accounts (
                        id INTEGER PRIMARY KEY, passwordHash TEXT, pin TEXT UNIQUE, api_key TEXT,
                        token_type TEXT);
                    CREATE VIEW hashes AS SELECT id, passwordHash AS hash FROM accounts;
                    INSERT INTO accounts VALUES (1, 'hash', '1234', 'key', 'bearer');
                    CREATE VIRTUAL TABLE words USING fts5 (word);
                    INSERT INTO words VALUES ('lamp');
                    CREATE TABLE people (
                        id INTEGER PRIMARY KEY, mail TEXT, method TEXT CHECK (method IN ('password', 'pin')),
                        mailKey TEXT AS (lower(mail)), "password" TEXT, start TEXT AS (substr("password", 1, 2)),
                        copy TEXT GENERATED ALWAYS AS (start || '…') STORED,
                        other TEXT REFERENCES accounts (pin));
                    INSERT INTO people (mail, method, password) VALUES ('A@b.c', 'pin', 'open sesame');
                    CREATE VIEW renamed (a, b, c) AS SELECT id, mail, start FROM people;
                    CREATE VIRTUAL TABLE mails USING fts5 (mail, content='people', content_rowid='id');
                    INSERT INTO mails (mails) VALUES ('rebuild');
                    CREATE VIRTUAL TABLE found USING fts5 (c, content='renamed', content_rowid='a');
                    CREATE VIRTUAL TABLE starts USING fts5 (start, content="people", content_rowid=id);
                    CREATE VIRTUAL TABLE own USING fts5 (mail, password);
                    INSERT INTO own VALUES ('a', 'open sesame');
                    CREATE VIRTUAL TABLE vocabulary USING fts5vocab (own, 'row');
                    """)
        ]

    private func stored() async throws -> TestDatabase {
        let test = TestDatabase(migrations: Self.migrations)
        try await test.insert("a", "b", "c")
        return test
    }

    @Test("Rows come with the names of their columns, up to the limit; no query lists the tables")
    func rows() async throws {
        let test = try await stored()

        let all = try await test.database.answer(DatabaseQuery("SELECT id, text AS t FROM notes", limit: 3))
        let some = try await test.database.answer(DatabaseQuery("SELECT text FROM notes", limit: 2))
        let tables = try await test.database.answer(DatabaseQuery(nil, limit: 100))
        let plan = try await test.database.answer(
            DatabaseQuery("SELECT * FROM notes WHERE text = 'a'", limit: 5, isPlan: true))
        let found = try await test.database.answer(
            DatabaseQuery("SELECT word FROM words WHERE words MATCH 'lamp'", limit: 5))

        #expect(all.columns == ["id", "t"] && all.rows.count == 3 && !all.isCut)
        #expect(all.rows[0] == [.integer(1), .text("a")])
        #expect(some.rows == [[.text("a")], [.text("b")]] && some.isCut)
        #expect(tables.rows.contains([.text("notes"), .text("id, text")]), "\(tables.rows)")
        #expect(tables.rows.contains([.text("words"), .text("word")]), "\(tables.rows)")
        #expect(plan.columns.contains("detail") && plan.rows.count == 1)
        #expect(found.rows == [[.text("lamp")]])
    }

    @Test(
        "Nothing but reading the tables is possible, whatever the text",
        arguments: [
            "SELECT a.id FROM accounts AS a NATURAL JOIN (SELECT '1' AS pin)",
            "SELECT 1 FROM accounts JOIN (SELECT 'hash' AS passwordHash) USING(passwordHash)",
            "SELECT 'it''s', a.id FROM accounts a --'\r\nNATURAL/*'*/JOIN (SELECT '1' AS pin)",
            "SELECT 'a\u{301}', 1 FROM accounts JOIN (SELECT 'key' AS api_key)\u{FEFF}USING(api_key)",
            "DELETE FROM notes", "INSERT INTO notes (text) VALUES ('x') RETURNING id", "DROP TABLE notes",
            "WITH x AS (SELECT 1) UPDATE notes SET text = 'x'", "CREATE TEMP TABLE x (a)", "VACUUM",
            "VACUUM INTO '/tmp/atrium-query'", "ATTACH 'x.sqlite' AS x", "PRAGMA user_version = 7",
            "PRAGMA query_only = OFF", "PRAGMA journal_mode = DELETE", "PRAGMA writable_schema = 1",
            "BEGIN IMMEDIATE", "COMMIT", "SAVEPOINT a", "REINDEX", "ANALYZE",
            "SELECT load_extension('x.so')", "SELECT * FROM pragma_journal_mode('delete')",
            "SELECT 1; DELETE FROM notes", "SELECT 1;; DELETE FROM notes", "SELECT 1\0; DELETE FROM notes",
            "EXPLAIN DELETE FROM notes", "SELECT ?", "", "--", "SELECT * FROM sqlite_dbpage",
            "SELECT * FROM dbstat", "REPLACE INTO sqlite_sequence VALUES ('notes', 9)",
        ])
    func refused(_ sql: String) async throws {
        let test = try await stored()

        await #expect(throws: DatabaseError.self, "\(sql)") {
            try await test.database.answer(DatabaseQuery(sql, limit: 10))
        }

        #expect(try await test.texts() == ["a", "b", "c"])
        #expect(try await test.database.read { try $0.first("PRAGMA user_version") { try $0.value(0) } } == 2)
    }

    @Test(
        "A column with secrets can't be used under any name",
        arguments: [
            "SELECT * FROM accounts", "SELECT passwordHash AS x FROM accounts",
            "SELECT length(PASSWORDHASH) FROM accounts", "SELECT id FROM accounts WHERE passwordHash > 'a'",
            "SELECT id FROM accounts ORDER BY pin", "SELECT hash FROM hashes", "SELECT * FROM hashes",
            "SELECT (1, 'hash', '1234', 'key', 'bearer') IN accounts", "SELECT api_key FROM accounts",
            "SELECT x.a FROM (SELECT passwordHash AS a FROM accounts) AS x",
            "WITH x (a) AS (SELECT pin FROM accounts) SELECT a FROM x",
            "SELECT start FROM people", "SELECT COPY FROM People", "SELECT other FROM people",
            "SELECT c FROM renamed", "SELECT 1 FROM found WHERE found MATCH 'op'", "SELECT * FROM starts",
            "SELECT snippet(own, 1, '', '', '', 5) FROM own('open')", "SELECT rowid FROM own('sesame')",
            "SELECT c1 FROM own_content", "SELECT block FROM own_data", "SELECT term FROM own_idx",
            "SELECT term FROM vocabulary", "SELECT count(*) FROM own",
        ])
    func secrets(_ sql: String) async throws {
        let test = try await stored()

        let error = await #expect(throws: DatabaseError.self) {
            try await test.database.answer(DatabaseQuery(sql, limit: 10, secrets: ["PIN"]))
        }
        let count = try await test.database.answer(
            DatabaseQuery("SELECT count(*), max(id) FROM accounts", limit: 1, secrets: ["pin"]))

        #expect(error?.code == "hiddenColumn")
        #expect(count.rows == [[.integer(1), .integer(1)]])
    }

    @Test(
        "A foreign key onto a column with secrets can't be used, however it is declared",
        arguments: [
            ("t", "CREATE TABLE uses (id INTEGER, t TEXT REFERENCES tokens (token))"),
            ("t", "CREATE TABLE uses (id INTEGER, t TEXT REFERENCES tokens)"),
            ("t", "CREATE TABLE uses (id INTEGER, t TEXT, FOREIGN KEY (t) REFERENCES tokens (token))"),
            ("T", "CREATE TABLE uses (id INTEGER, t TEXT, FOREIGN KEY (T) REFERENCES Tokens)"),
            (
                "t",
                "CREATE TABLE uses (id INTEGER, t TEXT, CONSTRAINT x FOREIGN KEY (t) REFERENCES tokens (TOKEN))"
            ),
            (
                #""a "",(""#,
                #"CREATE TABLE uses (id INTEGER, "a "",(" TEXT, FOREIGN KEY ("a "",(") REFERENCES tokens)"#
            ),
            (
                "s",
                #"""
                CREATE TABLE uses (
                    id INTEGER, "a "",(" TEXT REFERENCES tokens, s TEXT AS (substr("a "",(", 1, 4)))
                """#
            ),
            ("b", "CREATE TABLE uses (id INTEGER, a INTEGER, b TEXT, FOREIGN KEY (b, a) REFERENCES pairs)"),
            (
                "t",
                """
                CREATE TABLE uses (id INTEGER, token TEXT UNIQUE, t TEXT REFERENCES uses (token))
                """
            ),
            (
                "t",
                """
                CREATE TABLE uses (id INTEGER, t TEXT REFERENCES middle (s));
                CREATE TABLE middle (m TEXT REFERENCES tokens, s TEXT UNIQUE AS (lower(m)) STORED)
                """
            ),
            (
                "t",
                #"""
                CREATE TABLE uses (id INTEGER, t TEXT REFERENCES "a ""(b) c");
                CREATE TABLE "a ""(b) c" (m TEXT PRIMARY KEY REFERENCES tokens)
                """#
            ),
        ])
    func foreignKeys(column: String, sql: String) async throws {
        let test = TestDatabase(
            migrations: TestDatabase.migrations + [
                Migration(
                    2, "create uses",
                    sql: """
                        CREATE TABLE tokens (token TEXT PRIMARY KEY);
                        CREATE TABLE pairs (n INTEGER, token TEXT, PRIMARY KEY (token, n));
                        \(sql);
                        INSERT INTO uses (id) VALUES (1);
                        """)
            ])
        try await test.insert("a")

        let error = await #expect(throws: DatabaseError.self) {
            try await test.database.answer(DatabaseQuery("SELECT \(column) FROM uses", limit: 1))
        }
        let beside = try await test.database.answer(DatabaseQuery("SELECT id FROM uses", limit: 1))

        #expect(error?.code == "hiddenColumn")
        #expect(beside.rows == [[.integer(1)]])
    }

    @Test("Columns beside secret ones can be used, with what is computed from them and their full-text index")
    func besideSecrets() async throws {
        let test = try await stored()

        let row = try await test.database.answer(
            DatabaseQuery("SELECT mail, mailKey, method FROM people", limit: 1, secrets: ["pin"]))
        let found = try await test.database.answer(
            DatabaseQuery("SELECT mail FROM mails WHERE mails MATCH 'b'", limit: 1, secrets: ["pin"]))

        #expect(row.rows == [[.text("A@b.c"), .text("a@b.c"), .text("pin")]])
        #expect(found.rows == [[.text("A@b.c")]])
    }

    @Test("The words NATURAL and USING may stand in texts, names and comments")
    func words() async throws {
        let test = try await stored()

        let answer = try await test.database.answer(
            DatabaseQuery(
                """
                SELECT id AS natural_key, token_type AS "using", 'it''s natural' AS [natural] /* using */
                FROM accounts AS using2 WHERE token_type NOT LIKE '%using%' -- natural
                """, limit: 1))

        #expect(answer.columns == ["natural_key", "using", "natural"])
        #expect(answer.rows == [[.integer(1), .text("bearer"), .text("it's natural")]])
    }

    @Test(
        "A query of many columns or a large value is refused before it fills the memory",
        arguments: [
            "SELECT zeroblob(1000000000)", "SELECT randomblob(4000000)",
            "SELECT " + Array(repeating: "randomblob(4000000)", count: 400).joined(separator: ", "),
        ])
    func large(_ sql: String) async throws {
        let test = try await stored()

        let error = await #expect(throws: DatabaseError.self) {
            try await test.database.answer(DatabaseQuery(sql, limit: 1))
        }

        #expect(error?.code == "tooLarge")
    }

    @Test("A query without an end is cancelled")
    func endless() async throws {
        let test = try await stored()
        let task = Task {
            try await test.database.answer(
                DatabaseQuery(
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
                    limit: 1))
        }

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await test.texts() == ["a", "b", "c"])
    }

    @Test("A query makes no database, and leaves no files behind")
    func files() async throws {
        let folder = TemporaryFolder()
        let database = TestDatabase.another(folder)
        let query = DatabaseQuery("SELECT 1", limit: 1)

        await #expect(throws: DatabaseError.self) { try await database.answer(query) }
        #expect(folder.names().isEmpty)

        _ = try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('a')") }
        await database.close()
        _ = try await database.answer(query)
        await database.close()
        #expect(folder.names() == ["notes.sqlite"])
    }
}
