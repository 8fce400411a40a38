@_spi(Host) import AtriumKit
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQL

@Suite("Transactions in PostgreSQL", .timeLimit(.minutes(3)))
struct TransactionTests {
    @Test("Counters that many hosts change at once lose nothing")
    func conflicts() async throws {
        let module = try TestModule()
        try await module.database().add(1, "counter")

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                // An engine each, as in hosts of their own.
                let database = try PostgreSQLEngine().database(
                    of: module.name, migrations: TestModule.migrations, at: module.url)
                group.addTask {
                    for _ in 0..<25 {
                        try await database.increase(by: 1)
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(try await module.database().size() == 100)
    }

    @Test("A transaction that only inserts rows has no conflict detection; with anything else it runs again")
    func uncheckedInserts() async throws {
        let database = try TestModule(.alone).database()
        let isolation = "SELECT current_setting('transaction_isolation')"
        let runs = Mutex(0)

        try await database.write { connection in
            runs.withLock { $0 += 1 }
            _ = try connection.insert(into: "notes", ["id"]) { add in try add([.integer(1)]) }
            _ = try connection.insert(into: "notes", ["id"]) { add in try add([.integer(2)]) }
        }
        #expect(runs.withLock { $0 } == 1)

        let level: String? = try await database.write { connection in
            runs.withLock { $0 += 1 }
            _ = try connection.insert(into: "notes", ["id"]) { add in try add([.integer(3)]) }
            // What the first run throws here may be swallowed by the closure.
            return try? connection.first(isolation) { try $0.value(0) }
        }
        #expect(runs.withLock { $0 } == 3)
        #expect(level == "serializable")
        #expect(try await database.count() == 3)
    }

    @Test("A change that others overtake again and again is made all the same")
    func starvation() async throws {
        let module = try TestModule(.alone)
        let database = try module.database()
        try await database.add(1, "counter")
        let increment = "UPDATE \"\(module.name)\".notes SET size = size + 1 WHERE id = 1"
        var limits = Limits()
        limits.lock = 0.05
        let other = try ServerConnection(module.url, limits)
        let overtaken = Mutex(0)

        try await database.increase(by: 100) {
            // If the server lets it.
            if (try? other.run(increment)) != nil { overtaken.withLock { $0 += 1 } }
        }

        #expect(overtaken.withLock { $0 } == 3)
        #expect(try await database.size() == 103)
    }

    @Test("A change that takes long keeps no others out, however often it is overtaken")
    func longAndOvertaken() async throws {
        var limits = Limits.alone
        // Every run takes longer.
        limits.keepingOut = 0
        let module = try TestModule(limits)
        let database = try module.database()
        try await database.add(1, "counter")
        let other = try ServerConnection(module.url, Limits())
        let left = Mutex(5)

        try await database.increase(by: 100) {
            let overtakes = left.withLock { left in
                left -= 1
                return left >= 0
            }
            if overtakes { try other.run("UPDATE \"\(module.name)\".notes SET size = size + 1 WHERE id = 1") }
        }

        #expect(try await database.size() == 105)
    }

    @Test(
        "A change that turns out to take long while it keeps others out is begun again without that",
        arguments: [true, false])
    func longAlone(inStatement: Bool) async throws {
        var limits = Limits.alone
        limits.keepingOut = 0.2
        let module = try TestModule(limits)
        let database = try module.database()
        try await database.add(1, "counter")
        let other = try ServerConnection(module.url, Limits())
        let left = Mutex(3)
        let runs = Mutex<[Bool]>([])

        try await database.write { connection in
            let size: Int =
                try connection.first("SELECT size FROM notes WHERE id = 1") { try $0.value(0) } ?? -1
            let locks: Int =
                try connection.first(
                    "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'ShareRowExclusiveLock'"
                ) { try $0.value(0) } ?? 0
            let isAlone = locks > 0
            runs.withLock { $0.append(isAlone) }
            let overtakes = left.withLock { left in
                left -= 1
                return left >= 0
            }
            if overtakes { try other.run("UPDATE \"\(module.name)\".notes SET size = size + 1 WHERE id = 1") }
            if isAlone, inStatement { _ = try connection.query("SELECT pg_sleep(20)", []) { _ in } }
            if isAlone { usleep(400_000) }
            try connection.execute(
                "UPDATE notes SET size = ? WHERE id = 1", [(size + 100).databaseValue])
        }

        #expect(runs.withLock { $0 } == [false, false, false, true, false])
        #expect(try await database.size() == 103)
    }

    @Test(
        "What a role has set does not weaken or end a connection",
        arguments: [
            ("synchronous_commit", "off", "on"), ("default_transaction_deferrable", "on", "off"),
            ("idle_session_timeout", "1000", "0"), ("synchronous_commit", "remote_apply", "remote_apply"),
        ])
    func settingsOfTheRole(_ name: String, _ theirs: String, _ ours: String) throws {
        let url = try PostgreSQLServer.shared().url
        let options = "options=-c%20\(name)%3D\(theirs)"
        let connection = try ServerConnection(url + (url.contains("?") ? "&" : "?") + options, Limits())

        #expect(try connection.run("SHOW \(name)").firstText == ours)
    }

    @Test("A change that others overtake waits for no long transaction of theirs")
    func overtakenBesideALongOne() async throws {
        let module = try TestModule(.alone)
        let database = try module.database()
        try await database.add(1, "counter")
        let notes = "\"\(module.name)\".notes"
        let (long, other) = (
            try ServerConnection(module.url, Limits()), try ServerConnection(module.url, Limits())
        )
        try long.run("BEGIN; INSERT INTO \(notes) VALUES (2, 'long', 0)")
        let left = Mutex(5)

        try await database.increase(by: 100) {
            let overtakes = left.withLock { left in
                left -= 1
                return left >= 0
            }
            if overtakes { try other.run("UPDATE \(notes) SET size = size + 1 WHERE id = 1") }
        }
        try long.run("COMMIT")

        #expect(try await database.size() == 105)
        #expect(try await database.count() == 2)
    }

    @Test("A closure that throws leaves nothing behind, and the next one works")
    func rollback() async throws {
        let database = try TestModule().database()
        struct Stop: Error {}

        await #expect(throws: Stop.self) {
            try await database.write { connection in
                try connection.execute("INSERT INTO notes VALUES (1, 'a', 0)", [])
                throw Stop()
            }
        }
        let swallowed = await failure {
            try await database.write { connection in
                _ = try? connection.execute("INSERT INTO notes VALUES (2, 'b', -1)", [])
            }
        }

        #expect(swallowed?.message.contains("rolled back by an earlier failure") == true)
        #expect(try await database.count() == 0)
    }

    @Test("Modules that share a connection find their own tables, after a failure of another one too")
    func sharedConnection() async throws {
        let module = try TestModule(.alone)
        let (one, other) = (
            try module.database(),
            try module.engine.database(
                of: module.name + "Too", migrations: TestModule.migrations, at: module.url)
        )
        struct Stop: Error {}
        try await one.add(1, "one")
        try await other.add(1, "other")

        for round in 2...4 {
            #expect(try await one.read { _ in round } == round)
            await #expect(throws: Stop.self) {
                try await other.write { connection in
                    _ = try connection.execute("DELETE FROM notes", [])
                    throw Stop()
                }
            }
            try await one.add(round, "one \(round)")
            #expect(await failure { try await other.add(1, "again") }?.code == .uniqueViolation)
            #expect(try await one.count() == round)
            try await other.write { connection in
                _ = try connection.insert(into: "notes", ["id"]) { try $0([.integer(Int64(round))]) }
            }
            #expect(try await other.count() == round)
        }
    }

    @Test("The first statement begins the transaction; one that fails leaves nothing, and works later")
    func firstStatement() async throws {
        let database = try TestModule(.alone).database()
        let insert = "INSERT INTO notes (id, text) VALUES (?, ?)"
        let run = { (sql: String, arguments: [DatabaseValue]) in
            _ = try await database.write { try $0.execute(sql, arguments) }
        }

        for _ in 1...3 {
            let refused = await failure { try await run("INSERT INTO later VALUES (1)", []) }
            #expect(refused?.code == "databaseFailure", "\(String(describing: refused))")
        }
        try await run("CREATE TABLE later (id bigint)", [])
        try await run("INSERT INTO later VALUES (1)", [])
        try await run(insert, [.integer(1), .text("a")])
        for _ in 1...3 {
            let refused = await failure { try await run(insert, [.integer(1), .text("b")]) }
            #expect(refused?.code == "uniqueViolation", "\(String(describing: refused))")
        }

        #expect(try await database.count() == 1)
        let prepared = try await database.read { connection in
            try connection.first(
                "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO notes%'"
            ) { try $0.value(0, as: Int.self) }
        }
        #expect(prepared == 1)
    }

    @Test("More statements than a connection keeps prepared, at every place of a transaction")
    func manyStatements() async throws {
        let database = try TestModule(.alone).database()

        // 498 to 502 before the first change, then as many between two.
        for others in 498...502 {
            try await database.read { connection in
                for number in 0..<others {
                    let value: Int? = try connection.first("SELECT \(number) + \(others)") { try $0.value(0) }
                    #expect(value == number + others)
                }
            }
            try await database.add(others, "\(others)")
        }

        #expect(try await database.count() == 5)
    }

    @Test("Closures without a statement need no transaction, and what they announce is told")
    func empty() async throws {
        let module = try TestModule(.alone)
        let database = try module.database()
        let told = Mutex<[Announcement]>([])
        let membership = module.engine.join(at: module.url) { event in
            if case .changed(let changes, isOwn: true) = event { told.withLock { $0 += changes } }
        }

        #expect(try await database.read { _ in 1 } == 1)
        #expect(try await database.write { _ in 2 } == 2)
        try await database.write { $0.announce("notes", key: "7") }

        #expect(told.withLock { $0.map(\.key) } == ["7"])
        let rows = try await database.read { connection in
            try connection.first("SELECT count(*) FROM atrium_changes.changes WHERE key = '7'") {
                try $0.value(0, as: Int.self)
            }
        }
        #expect((rows ?? 0) >= 1)
        await membership.leave()
    }

    @Test("A cancelled caller ends its statement, and the connection is used again")
    func cancellation() async throws {
        var limits = Limits()
        limits.connections = 1
        // Longer than the suite may take: only the cancellation ends it.
        limits.statement = 3_600
        let database = try TestModule(limits).database()
        _ = try await database.count()
        let slow = Task { try await database.read { try $0.execute("SELECT pg_sleep(3000)", []) } }
        let waiting = Task { try await database.count() }
        try await Task.sleep(for: .milliseconds(100))

        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        slow.cancel()
        await #expect(throws: CancellationError.self) { _ = try await slow.value }

        #expect(try await database.count() == 0)
    }

    @Test("A cancelled caller does not wait for a server that is cut off", .timeLimit(.minutes(1)))
    func cutOff() async throws {
        let relay = try PostgreSQLServer(relaying: try PostgreSQLServer.shared())
        var limits = Limits()
        (limits.connect, limits.statement) = (1, 3_600)
        let database = try TestModule(limits, at: relay.url).database()
        _ = try await database.count()
        let slow = Task { try await database.read { try $0.execute("SELECT 'cut off'", []) } }
        limits.statement = 1
        let other = try TestModule(limits, at: relay.url).database()
        while await failure({ _ = try await other.count() }) == nil {}

        slow.cancel()

        await #expect(throws: CancellationError.self) { _ = try await slow.value }
        #expect(await failure { _ = try await database.count() }?.code == .databaseUnreachable)
    }

    @Test("A closure with other effects than its statements is found out in a debug build")
    func effects() async throws {
        let database = try TestModule().database()
        let runs = Mutex(0)

        let error = await failure {
            try await database.write { connection in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                try connection.execute(
                    "INSERT INTO notes (id, text, size) VALUES (\(run), 'a', 0)", [])
            }
        }

        #expect(error?.message.contains("does something else when its transaction is run again") == true)
        #expect(try await database.count() == 0)
    }

    @Test("Callers beyond the last connection wait for their turn")
    func bound() async throws {
        var limits = Limits()
        limits.connections = 2
        let database = try TestModule(limits).database()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 { group.addTask { try await database.add(number, "note \(number)") } }
            try await group.waitForAll()
        }

        #expect(try await database.count() == 40)
    }

    @Test("A connection that an administrator ends is made anew")
    func killed() async throws {
        var limits = Limits()
        limits.connections = 1
        let module = try TestModule(limits)
        let database = try module.database()
        let administrator = try TestModule().database()

        for round in 1...4 {
            let process: Int = try await database.read {
                try $0.first("SELECT pg_backend_pid()") { try $0.value(0) } ?? 0
            }
            _ = try await administrator.read {
                try $0.execute("SELECT pg_terminate_backend(?::int)", [.text(String(process))])
            }
            try await database.add(round, "note \(round)")
        }

        #expect(try await database.count() == 4)
    }

    @Test("A connection that is lost inside of a closure: it runs again, and once")
    func killedInside() async throws {
        let database = try TestModule().database()
        let runs = Mutex(0)

        try await database.write { connection in
            try connection.execute("INSERT INTO notes VALUES (1, 'a', 0)", [])
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if run == 1 { try connection.execute("SELECT pg_terminate_backend(pg_backend_pid())", []) }
        }

        // A debug build runs each a second time.
        #expect(runs.withLock { $0 } == 3)
        #expect(try await database.count() == 1)
    }

    @Test("A commit whose answer was lost is settled: done once")
    func lostAnswer() async throws {
        let relay = try PostgreSQLServer(relaying: try PostgreSQLServer.shared())
        let module = try TestModule(at: relay.url)
        let database = try module.database()
        try await database.add(1, "a")
        let runs = Mutex(0)

        try await database.write { connection in
            runs.withLock { $0 += 1 }
            try connection.execute("INSERT INTO notes VALUES (2, 'lose this answer', 0)", [])
        }

        #expect(runs.withLock { $0 } == 2)
        #expect(try await database.count() == 2)
    }

    @Test("A commit that the server ends is undone, and told so")
    func abortedCommit() async throws {
        let database = try TestModule().database([
            TestModule.migrations[0],
            Migration(
                2, "end at commit",
                postgresql: """
                    CREATE FUNCTION end_here() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
                    CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED
                        FOR EACH ROW EXECUTE FUNCTION end_here()
                    """),
        ])

        let error = await failure { try await database.add(1, "a") }

        #expect(error?.code == .databaseUnreachable)
        #expect(try await database.count() == 0)
    }

    @Test("A server that is missing, or gone, is an error with a next step")
    func missing() async throws {
        let server = try PostgreSQLServer()
        let database = try TestModule(at: server.url).database()
        try await database.add(1, "a")
        server.stop()

        let gone = await failure { try await database.add(2, "b") }
        let never = await failure {
            _ = try await TestModule(at: "postgresql:///none?host=/tmp/no-such-folder").database().count()
        }

        #expect([gone?.code, never?.code] == [.databaseUnreachable, .databaseUnreachable])
        #expect(never?.message.contains("can't be reached") == true)
        // libpq ends with a question, which the hint answers.
        #expect(
            never?.message.hasSuffix("/tmp/no-such-folder/.s.PGSQL.5432\" failed: No such file or directory.")
                == true)
        #expect(never?.hint?.contains("Check that it runs") == true)
    }
}
