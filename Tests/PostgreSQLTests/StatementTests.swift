import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import PostgreSQL

@Suite("Statements for PostgreSQL")
struct StatementTests {
    @Test(
        "A question mark is a parameter, but not in texts, names, comments and bodies",
        arguments: [
            ("SELECT ?, ?", "SELECT $1, $2", 2),
            ("SELECT '?', 'it''s ?', ?", "SELECT '?', 'it''s ?', $1", 1),
            (#"SELECT E'\'?', ?"#, #"SELECT E'\'?', $1"#, 1),
            (#"SELECT '\', ?"#, #"SELECT '\', $1"#, 1),
            (#"SELECT "?" FROM "a""?" WHERE b = ?"#, #"SELECT "?" FROM "a""?" WHERE b = $1"#, 1),
            ("SELECT ? -- ?\n, ?", "SELECT $1 -- ?\n, $2", 2),
            ("SELECT /* ? /* ? */ ? */ ?", "SELECT /* ? /* ? */ ? */ $1", 1),
            ("SELECT $$ ? $$, $tag$ ? $$ ? $tag$, ?", "SELECT $$ ? $$, $tag$ ? $$ ? $tag$, $1", 1),
            ("SELECT a$b, 5, ?", "SELECT a$b, 5, $1", 1),
            ("SELECT 'grün ?', ?", "SELECT 'grün ?', $1", 1),
            ("SELECT '?", "SELECT '?", 0), ("SELECT /* ?", "SELECT /* ?", 0),
            ("SELECT $a$ ?", "SELECT $a$ ?", 0),
            ("", "", 0), ("$", "$", 0), ("/", "/", 0), ("-", "-", 0),
        ])
    func placeholders(_ statement: String, _ sql: String, _ count: Int) {
        let numbered = NumberedStatement(statement)

        #expect(numbered.sql == sql)
        #expect(numbered.parameterCount == count)
    }

    @Test("Values come back as they were given")
    func values() async throws {
        let database = try TestModule().database([
            Migration(
                1, "create values",
                postgresql: """
                    CREATE TABLE kinds (
                        n int, integers bigint, reals double precision, texts text, blobs bytea, flags boolean)
                    """)
        ])
        let rows: [[DatabaseValue]] = [
            [
                .integer(.min), .real(-0.1), .text("it's \"grün\" \\ 灯\n"), .blob([0, 1, 0xFF, 0x5C]),
                .integer(1),
            ],
            [.integer(.max), .real(.infinity), .text(""), .blob([]), .integer(0)],
            [.null, .real(1e300), .null, .null, .null],
        ]

        try await database.write { connection in
            for (number, row) in rows.enumerated() {
                let inserted = try connection.execute(
                    "INSERT INTO kinds VALUES (?, ?, ?, ?, ?, ?)", [.integer(Int64(number))] + row)
                #expect(inserted == 1)
            }
        }
        let read = try await database.read { connection in
            try connection.query("SELECT integers, reals, texts, blobs, flags FROM kinds ORDER BY n", []) {
                row in
                try (0..<5).map { try row.value($0, as: Given.self).value }
            }
        }

        #expect(read == rows)
    }

    /// Any value.
    private struct Given: DatabaseConvertible {
        static let databaseTypeName = "any value"
        let value: DatabaseValue
        init?(databaseValue: DatabaseValue) { value = databaseValue }
        var databaseValue: DatabaseValue { value }
    }

    @Test("What a module does wrong is an error that says so")
    func misuse() async throws {
        let database = try TestModule().database()

        let inRead = await failure {
            _ = try await database.read { try $0.execute("INSERT INTO notes VALUES (1, 'a', 0)", []) }
        }
        let tooFew = await failure { _ = try await database.read { try $0.execute("SELECT ?", []) } }
        let syntax = await failure { _ = try await database.read { try $0.execute("SELEC 1", []) } }

        #expect(inRead?.code == .databaseFailure)
        #expect(inRead?.hint?.contains("write instead of read") == true)
        #expect(
            tooFew?.message.contains("gives 0 arguments to a statement that takes 1: \"SELECT ?\"") == true)
        #expect(syntax?.message.contains("syntax error at or near \"SELEC\"") == true)
        let zero = await failure { try await database.add(1, "a\u{0}b") }
        #expect(zero?.message.contains("stores a text with U+0000") == true)
        let many = "SELECT " + Array(repeating: "?", count: 65_536).joined(separator: ",")
        let tooMany = await failure {
            _ = try await database.read {
                try $0.execute(many, Array(repeating: .integer(1), count: 65_536))
            }
        }
        #expect(tooMany?.message.contains("has 65536 arguments, and PostgreSQL takes 65535") == true)
        #expect((tooMany?.message.count ?? .max) < 500, "The statement is shown in part.")
        #expect(try await database.count() == 0)
    }

    @Test("A COPY that is not insert(into:) is refused", arguments: ["TO STDOUT", "FROM STDIN"])
    func copyByHand(_ direction: String) async throws {
        let database = try TestModule(.alone).database()

        let copied = await failure {
            _ = try await database.write { try $0.execute("COPY notes \(direction)", []) }
        }

        #expect(copied?.message.contains("use insert(into:)") == true)
        try await database.add(1, "a")
        #expect(try await database.count() == 1)
    }

    @Test("A sum of integers is an integer, and a query changes no rows")
    func sums() async throws {
        let database = try TestModule().database()
        try await database.add(1, "a", size: 3)
        try await database.add(2, "b", size: 4)

        try await database.write { connection in
            let sum = try connection.first("SELECT sum(size) FROM notes") { try $0.value(0) as Int }
            let mean = try connection.first("SELECT avg(size) FROM notes") { try $0.value(0) as Double }
            #expect(sum == 7)
            #expect(mean == 3.5)
            #expect(try connection.execute("SELECT * FROM notes", []) == 0)
            #expect(try connection.execute("UPDATE notes SET size = 0", []) == 2)
        }
    }

    @Test("Many rows at once are stored as they were given")
    func inserting() async throws {
        let module = try TestModule()
        let database = try module.database([
            Migration(
                1, "create values",
                postgresql: "CREATE TABLE items (id bigint, text text, real float8, bytes bytea)")
        ])
        let texts: [String?] = [
            "", "a\tb\nc\rd\\e", "\\N", "\\.", "ä€🙂", nil, String(repeating: "x", count: 200_000),
        ]
        let bytes: [UInt8] = [0, 9, 10, 13, 92, 255]

        let count = try await database.write { connection in
            try connection.insert(into: "items", ["id", "text", "real", "bytes"]) { add in
                for (id, text) in texts.enumerated() {
                    try add([.integer(Int64(id) - 1), text.databaseValue, .real(-0.1), .blob(bytes)])
                }
            }
        }

        #expect(count == texts.count)
        let rows = try await database.read { connection in
            try connection.query("SELECT text, real, bytes, id FROM items ORDER BY id", []) { row in
                #expect(try row.value(1) == -0.1)
                return (text: try row.value(0) as String?, bytes: try row.bytes(2))
            }
        }
        #expect(rows.map(\.text) == texts)
        #expect(rows.allSatisfy { $0.bytes == bytes })
    }

    @Test("Inserting takes as long as there are rows, and other statements only until their limit")
    func slowRows() async throws {
        var limits = Limits.alone
        limits.statement = 0.3
        let database = try TestModule(limits).database()

        let count = try await database.write { connection in
            try connection.insert(into: "notes", ["id"]) { add in
                for id in 0..<20_000 {
                    if id == 10_000 { usleep(500_000) }
                    try add([.integer(Int64(id))])
                }
            }
        }
        let slow = await failure { _ = try await database.write { try $0.execute("SELECT pg_sleep(5)", []) } }

        #expect(count == 20_000)
        #expect(slow?.message.contains("was ended after 'statementLimit'") == true)
    }

    @Test("Rows that end with an error leave nothing, and the transaction can't go on")
    func insertingFails() async throws {
        let database = try TestModule().database()
        struct Stop: Error {}

        await #expect(throws: Stop.self) {
            try await database.write { connection in
                _ = try connection.insert(into: "notes", ["id", "text"]) { add in
                    for id in 0..<10_000 { try add([.integer(Int64(id)), .text("note \(id)")]) }
                    throw Stop()
                }
            }
        }
        let swallowed = await failure {
            try await database.write { connection in
                _ = try? connection.insert(into: "notes", ["id", "text"]) { try $0([.integer(1)]) }
            }
        }
        let duplicate = await failure {
            try await database.write { connection in
                _ = try connection.insert(into: "notes", ["id", "text"]) { add in
                    for _ in 0..<2 { try add([.integer(1), .null]) }
                }
            }
        }
        let missing = await failure {
            try await database.write { connection in
                _ = try connection.insert(into: "nothing", ["id"]) { try $0([.integer(1)]) }
            }
        }

        #expect(swallowed?.message.contains("was rolled back by an earlier failure") == true)
        #expect(duplicate?.code == .uniqueViolation)
        #expect(missing?.message.contains("\"nothing\" does not exist") == true)
        #expect(try await database.count() == 0)
    }

    @Test("What the URL says of the connection counts")
    func parameters() async throws {
        let url = try PostgreSQLServer.shared().url + "&application_name=notes&options=-c%20work_mem%3D5MB"
        let database = try TestModule(at: url).database()

        let settings: [String] = try await database.read {
            try $0.query(
                "SELECT setting FROM pg_settings WHERE name IN ('application_name', 'work_mem') ORDER BY name",
                []
            ) { try $0.value(0) }
        }

        #expect(settings == ["notes", "5120"])
    }

    @Test("How the role would print values does not count")
    func printing() async throws {
        let options = "&options=-c%20bytea_output%3Descape%20-c%20extra_float_digits%3D-15"
        let database = try TestModule(at: try PostgreSQLServer.shared().url + options).database()

        let read = try await database.read { connection in
            try connection.first("SELECT '\\x00ff41'::bytea, 0.1::float8 + 0.2") {
                (try $0.bytes(0), try $0.value(1, as: Double.self))
            }
        }

        #expect(read?.0 == [0, 255, 65] && read?.1 == 0.1 + 0.2)
    }

    @Test("A connection that outlives its closure is refused")
    func escape() async throws {
        let database = try TestModule().database()
        final class Box: @unchecked Sendable { var connection: (any DatabaseConnection)? }
        let box = Box()

        try await database.read { box.connection = $0 }

        #expect(throws: DatabaseError.self) { try box.connection?.execute("SELECT 1", []) }
    }

    @Test("Broken rules have the codes that they have with SQLite")
    func constraints() async throws {
        let database = try TestModule().database()
        try await database.add(1, "a")

        let unique = await failure { try await database.add(2, "a") }
        let check = await failure { try await database.add(3, "b", size: -1) }
        let null = await failure {
            _ = try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('c')", []) }
        }

        #expect(
            [unique?.code, check?.code, null?.code] == [.uniqueViolation, .checkViolation, .notNullViolation])
        #expect(try await database.count() == 1)
    }
}
