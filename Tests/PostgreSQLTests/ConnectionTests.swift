@_spi(Host) import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import PostgreSQL

/// What a host does with few connections, with a server that does not answer, and with a pooler.
@Suite("Connections to the server", .timeLimit(.minutes(2)))
struct ConnectionTests {
    /// A role with at most three connections, which owns the schema of a module.
    private struct SmallRole {
        let module: TestModule
        let name = "small\(UInt32.random(in: 0 ... .max))"
        private let administrator: ServerConnection

        init(_ limits: Limits = Limits(), at server: PostgreSQLServer? = nil) throws {
            let url = try (server ?? PostgreSQLServer.shared()).url
            administrator = try ServerConnection(url, Limits())
            module = try TestModule(limits, at: url.replacing("user=atrium", with: "user=\(name)"))
            try administrator.run(
                """
                CREATE ROLE \(name) LOGIN CONNECTION LIMIT 3;
                GRANT CREATE ON DATABASE atrium TO \(name);
                CREATE SCHEMA IF NOT EXISTS atrium_changes
                """)
            try ChangeTable.migrator.migrate(administrator)
            try administrator.run(
                """
                GRANT USAGE ON SCHEMA atrium_changes TO \(name);
                GRANT ALL ON ALL TABLES IN SCHEMA atrium_changes TO \(name)
                """)
        }

        func connections() throws -> Int {
            let count = try administrator.run(
                "SELECT count(*) FROM pg_stat_activity WHERE usename = '\(name)'")
            return count.firstText.flatMap { Int($0) } ?? -1
        }
    }

    @Test("At the server's limit, transactions take turns with the connections that the host has")
    func limit() async throws {
        let role = try SmallRole()
        let database = try role.module.database()

        try await withThrowingTaskGroup { group in
            for id in 0..<24 { group.addTask { try await database.add(id, "note \(id)") } }
            try await group.waitForAll()
        }

        #expect(try await database.count() == 24)
        #expect(try role.connections() <= 3)
    }

    @Test("The feed gets a connection of the host's own before its transactions do")
    func feed() async throws {
        let server = try PostgreSQLServer()
        let role = try SmallRole(at: server)
        let database = try role.module.database()
        let membership = role.module.engine.join(at: role.module.url) { _ in }
        try await database.add(0, nil)
        try await eventually("it has joined") { try await !membership.members().isEmpty }
        let members = try await membership.members()

        // Meanwhile all other connections are in use.
        let others = (0..<5).map { _ in Task { while !Task.isCancelled { _ = try? await database.count() } } }
        try ServerConnection(server.url, Limits()).run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_locks
            WHERE locktype = 'advisory' AND objid IN (\(members.map(String.init).joined(separator: ",")))
            """)

        try await eventually("it has joined again") {
            try await !membership.members().isSubset(of: members)
        }
        for task in others { task.cancel() }
        await membership.leave()
    }

    @Test("A limit that others have used up is an error within the time for connecting")
    func exhausted() async throws {
        var limits = Limits()
        limits.connect = 0.5
        let role = try SmallRole(limits)
        let others = try (0..<3).map { _ in try ServerConnection(role.module.url, Limits()) }

        let start = ContinuousClock.now
        let error = await failure { try await role.module.database().add(1, nil) }

        #expect(error?.code == .databaseUnreachable)
        #expect(error?.message.contains("too many connections for role") == true)
        let hint = error?.hint ?? ""
        #expect(hint.contains("connections=NUMBER"))
        // Far above the limit: the machine may be busy.
        #expect(.now - start < .seconds(60))
        #expect(others.allSatisfy { $0.isAlive })
    }

    @Test("Transactions that all wait for a first connection are not taken for ones that have one")
    func exhaustedTogether() async throws {
        var limits = Limits()
        (limits.connect, limits.statement) = (0.5, 3_600)
        let role = try SmallRole(limits)
        let others = try (0..<3).map { _ in try ServerConnection(role.module.url, Limits()) }
        let database = try role.module.database()

        await withTaskGroup(of: ErrorCode?.self) { group in
            for id in 0..<8 { group.addTask { await failure { try await database.add(id, nil) }?.code } }
            for await code in group { #expect(code == .databaseUnreachable) }
        }

        let usage = try #require(role.module.engine.usage(at: role.module.url))
        #expect([usage.connections, usage.busy, usage.waiting] == [0, 0, 0])
        #expect(others.allSatisfy { $0.isAlive })
    }

    @Test("What the server refuses a connection for is known by its state, and the hint says what to do")
    func refusals() async throws {
        let role = try SmallRole()
        let url = try PostgreSQLServer.shared().url
        let administrator = try ServerConnection(url, Limits())
        let closed = "closed\(UInt32.random(in: 0 ... .max))"
        try administrator.run("CREATE DATABASE \(closed)")
        try administrator.run("REVOKE CONNECT ON DATABASE \(closed) FROM public")
        let refused = [
            ("3D000", url.replacing("/atrium?", with: "/nothere?")),
            ("28000", url.replacing("user=atrium", with: "user=nobodyhere")),
            ("42501", role.module.url.replacing("/atrium?", with: "/\(closed)?")),
        ]

        for (state, url) in refused {
            let error = await failure { _ = try await TestModule(at: url).database().count() }
            #expect(error?.code == .databaseUnreachable)
            #expect(error?.message.hasPrefix("The PostgreSQL server refuses module '") == true)
            #expect((error?.cause as? ServerFailure)?.state == state)
            if state == "42501" {
                #expect(error?.hint == "GRANT CONNECT ON DATABASE \"\(closed)\" TO \"\(role.name)\"")
            }
        }
        try administrator.run("DROP DATABASE \(closed)")
    }

    @Test("A missing right is named with the statements that grant it")
    func missingRight() async throws {
        let (module, role) = (try TestModule(), try SmallRole())
        try await module.database().add(1, nil)
        let administrator = try ServerConnection(module.url, Limits())
        let database = try PostgreSQLEngine().database(
            of: module.name, migrations: TestModule.migrations, at: role.module.url)
        let schemas = "SCHEMA \"\(module.name)\", atrium_changes"
        let usage = [
            "GRANT USAGE ON \(schemas) TO \"\(role.name)\"",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN \(schemas) TO \"\(role.name)\"",
        ]

        let refused = await failure { _ = try await database.count() }
        #expect(refused?.code == .databaseUnwritable)
        #expect(
            refused?.message
                == "The role '\(role.name)' lacks a right for the data of module '\(module.name)': "
                + "permission denied for schema \(module.name).")
        #expect(refused?.hint == usage.joined(separator: "; "))
        for grant in usage { try administrator.run(grant) }
        #expect(try await database.count() == 1)

        try administrator.run("REVOKE CREATE ON DATABASE atrium FROM \(role.name)")
        let unmade = await failure { _ = try await role.module.database().count() }
        #expect(
            unmade?.hint?.hasSuffix("or: GRANT CREATE ON DATABASE \"atrium\" TO \"\(role.name)\"") == true)
    }

    @Test("The state of a refusal is read whatever the language; of several servers, that of the last")
    func languages() {
        let words = "connection to server failed: SCHWERWIEGEND:  zu viele Verbindungen"
        let verbose = """
            connection to server at "one" failed: FATAL:  57P03: the database system is starting up; \
            connection to server at "two" failed: SCHWERWIEGEND:  53300: zu viele Verbindungen; \
            ORT:  InitProcess, proc.c:353
            """

        let failure = ServerFailure(words: words).refused(verbosely: verbose)

        #expect(failure.state == "53300")
        #expect(failure.isOfConnectionLimit)
        #expect(failure.words == words)
    }

    @Test("Connections that nothing uses are closed after some time")
    func idle() async throws {
        var limits = Limits()
        limits.idle = 0.3
        let role = try SmallRole(limits)
        let database = try role.module.database()
        try await database.add(1, nil)
        #expect(try role.connections() > 0)

        try await eventually("they are closed", turns: 50_000_000) { try role.connections() == 0 }

        #expect(try await database.count() == 1)
    }

    @Test("A server that accepts and does not answer is given up within the time for connecting")
    func silent() async throws {
        let server = try SilentServer()
        var limits = Limits()
        limits.connect = 0.5

        let start = ContinuousClock.now
        let error = await failure {
            try await TestModule(limits, at: "postgresql:///atrium?host=\(server.folder)").database().add(
                1, nil)
        }

        #expect(error?.code == .databaseUnreachable)
        #expect(.now - start < .seconds(60))
    }

    @Test("A silent server leaves time for the next ones, however many the URL names and the limit is")
    func failover() async throws {
        let server = try SilentServer()
        var limits = Limits()
        limits.connect = 60
        let url = try PostgreSQLServer.shared().url
            .replacing("host=", with: "host=\(server.folder),")

        let start = ContinuousClock.now
        let connection = try ServerConnection(url, limits)

        #expect(connection.isAlive)
        // Two seconds for the first; half of the limit if it were shared.
        #expect(.now - start < .seconds(20))
    }

    @Test(
        "A pooler in session mode is used, and one in another mode refused",
        arguments: ["session", "transaction", "statement"])
    func pooler(mode: String) async throws {
        let pooler = try PostgreSQLServer(pooling: PostgreSQLServer.shared(), mode)
        // Each time, however its connections are given out.
        for _ in 0..<5 {
            let module = try TestModule(at: pooler.url)
            let error = await failure { try await module.database().add(1, nil) }
            if mode == "session" {
                #expect(error == nil)
            } else {
                #expect(error?.code == .databaseUnsupported)
                #expect(error?.message.hasSuffix("another session: it is in \(mode) mode.") == true)
                #expect(error?.hint == "Use a pooler in session mode, or the server's own address.")
            }
        }
    }

    @Test("A statement that an administrator ends is not told as one that took too long")
    func cancelledByOthers() async throws {
        let module = try TestModule(.alone)
        let database = try module.database()
        try await database.add(1, nil)
        let process: Int = try await database.read {
            try $0.first("SELECT pg_backend_pid()") { try $0.value(0) } ?? 0
        }

        async let ended = failure {
            _ = try await database.read { try $0.execute("SELECT pg_sleep(60)", []) }
        }
        let administrator = try ServerConnection(module.url, Limits())
        try await eventually("it is ended") {
            let sleeping = try administrator.run(
                """
                SELECT pg_cancel_backend(pid) FROM pg_stat_activity
                WHERE pid = \(process) AND query LIKE '%pg_sleep(60)%' AND state = 'active'
                """)
            return sleeping.firstText == "t"
        }

        let message = await ended?.message ?? ""
        #expect(message.contains("was cancelled on the server"))
    }

    @Test("What ended a statement is known by the time it took, and a limit by the function that reported it")
    func ended() async throws {
        let database = try TestModule(.alone).database()
        let raised = { (state: String) in
            await failure {
                _ = try await database.write {
                    try $0.execute(
                        "DO $$ BEGIN RAISE 'zu lange index row' USING ERRCODE = '\(state)'; END $$", [])
                }
            }
        }
        var numbers = SystemRandomNumberGenerator()
        let long = (0..<500).map { _ in String(numbers.next(), radix: 16) }.joined()

        #expect(await raised("57014")?.message.contains("was cancelled on the server") == true)
        #expect(await raised("54000")?.code == .databaseFailure)
        let tooLong = await failure { try await database.add(1, long) }
        #expect(tooLong?.code == .databaseConstraint)
        #expect(tooLong?.hint?.hasPrefix("Shorten the text") == true)
    }

    @Test("A change that can't be announced, as the schema for it was dropped, blames no other schema")
    func droppedChanges() async throws {
        let server = try PostgreSQLServer()
        let module = try TestModule(at: server.url)
        let database = try module.database()
        _ = try await database.write { $0.announce("notes", key: "1") }
        try ServerConnection(server.url, Limits()).run("DROP SCHEMA atrium_changes CASCADE")

        let error = await failure { _ = try await database.write { $0.announce("notes", key: "2") } }
        let membership = module.engine.join(at: server.url) { _ in }
        try await eventually("it is there again", turns: 50_000_000) {
            try await !membership.members().isEmpty
        }
        _ = try await database.write { $0.announce("notes", key: "3") }

        #expect(
            error?.message == "The schema \"atrium_changes\", in which hosts announce changes, was dropped.")
        await membership.leave()
    }

    @Test("A row that the server refuses among many is known by its number")
    func refusedRow() async throws {
        let database = try TestModule().database()

        let error = await failure {
            try await database.write { connection in
                _ = try connection.insert(into: "notes", ["id", "size"]) { add in
                    for id in 1...5_000 { try add([.integer(Int64(id)), .integer(id == 4_321 ? -1 : 0)]) }
                }
            }
        }

        #expect((error?.cause as? any RowFailure)?.row == 4_321)
    }

    @Test("What the pool did is counted")
    func usage() async throws {
        let module = try TestModule()
        let database = try module.database()
        try await database.add(1, nil)
        _ = try await database.count()

        let usage = try #require(module.engine.usage(at: module.url))

        #expect(usage.transactions == 2)
        #expect(usage.connections == 1)
        #expect(usage.busy == 0)
        #expect(usage.limit == 8)
    }
}

/// A server that accepts connections and says nothing.
private final class SilentServer: Sendable {
    private let socket: Int32
    private let temporary: TemporaryFolder
    var folder: String { temporary.path }

    init() throws {
        temporary = TemporaryFolder()
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: "\(temporary.path)/.s.PGSQL.5432".utf8.prefix(107))
        }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(socket, 8) == 0)
    }

    deinit { close(socket) }
}
