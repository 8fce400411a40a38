@_spi(Host) import AtriumKit
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQL

/// Hosts that use one database hear of each other's changes.
@Suite("Changes that many hosts hear of", .timeLimit(.minutes(2)))
struct MembershipTests {
    @Test("A change is heard once by the host that made it, and once by every other one")
    func heard() async throws {
        let (one, two) = try await Host.pair()
        try await one.change("1")

        try await two.hears(["1"])
        #expect(one.own == ["1"])
        try await two.change("2")
        try await one.hears(["2"])
        #expect(two.own == ["2"])
        // Each tells of the other's change before its own wake-up could come back.
        #expect(one.heard == ["2"])
        #expect(two.heard == ["1"])
        await one.leave()
        await two.leave()
    }

    @Test("What commits late is heard, though later transactions were heard before")
    func order() async throws {
        let (one, two) = try await Host.pair()
        let gate = DispatchSemaphore(value: 0)

        let topic = one.topic
        async let slow: Void = one.database.write { connection in
            connection.announce(topic, key: "slow")
            try connection.execute("INSERT INTO notes (id, text, size) VALUES (1, 'slow', 0)", [])
            gate.wait()
        }
        try await one.change("fast")
        try await two.hears(["fast"])
        // A debug build runs the closure twice.
        gate.signal()
        gate.signal()
        try await slow

        try await two.hears(["fast", "slow"])
        await one.leave()
        await two.leave()
    }

    @Test("A transaction that is rolled back tells nothing")
    func rollback() async throws {
        let (one, two) = try await Host.pair()
        struct Stop: Error {}
        let topic = one.topic

        await #expect(throws: Stop.self) {
            try await one.database.write { connection in
                connection.announce(topic, key: "undone")
                throw Stop()
            }
        }
        try await one.change("done")

        try await two.hears(["done"])
        #expect(one.own == ["done"])
        await one.leave()
        await two.leave()
    }

    @Test("A staged change of a module tells when it is published")
    func staged() async throws {
        let (one, two) = try await Host.pair()
        let topic = one.topic
        try await one.change("before")
        let next = try one.module.database(TestModule.migrations)
        next.stage()
        _ = try await next.write { $0.announce(topic, key: "staged") }
        try await one.change("meanwhile")
        try await two.hears(["before", "meanwhile"])

        try next.publish()

        try await two.hears(["before", "meanwhile", "staged"])
        await one.leave()
        await two.leave()
    }

    @Test("A connection's first transaction may tell of several changes, in a change of the module too")
    func several() async throws {
        let (one, two) = try await Host.pair()
        let topic = one.topic
        let tell: @Sendable (any DatabaseConnection) throws -> Void = { connection in
            for key in ["a", "b"] { connection.announce(topic, key: key) }
            try connection.execute("INSERT INTO notes VALUES (1, 'a', 0)", [])
        }

        try await one.database.write(tell)
        try await two.hears(["a", "b"])

        let next = try two.module.database(TestModule.migrations)
        next.stage()
        try await next.write(tell)
        try next.publish()
        await eventually("it is told") { two.own.count == 2 }
        await one.leave()
        await two.leave()
    }

    @Test("A host hears of its own change if it could not know whether it was committed")
    func unsettled() async throws {
        let url = try PostgreSQLServer.shared().url
        let (writer, reader) = (try ServerConnection(url, Limits()), try ServerConnection(url, Limits()))
        try ChangeTable.migrator.migrate(reader)
        let table = ChangeTable()
        var position = try table.end(reader)
        let topic = "notes\(UInt32.random(in: 0 ... .max))"

        for isKnown in [true, false] {
            try writer.begin(in: "public", isReading: false)
            try writer.beginNow(nil)
            if !isKnown { table.unsettled.add(writer.transactionID ?? "") }
            try writer.commit(after: table.messages([Announcement(topic: topic, key: "\(isKnown)")], writer))
        }

        let heard = try table.read(from: &position, reader) ?? []
        #expect(heard.filter { $0.topic == topic }.map(\.key) == ["false"])
    }

    @Test("A host that lost its connection joins again, and is told that anything may have changed")
    func lost() async throws {
        let (one, two) = try await Host.pair()
        let joined = two.joined

        _ = try await one.database.read {
            try $0.execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?
                """, [.text(two.name)])
        }

        await eventually("it has joined again") { two.joined > joined }
        #expect(two.losses == 1)
        try await one.change("after")
        try await two.hears(["after"])
        await one.leave()
        await two.leave()
    }

    @Test("A server that does not answer counts as a lost connection, until it answers")
    func silence() async throws {
        let server = try PostgreSQLServer()
        var limits = Limits()
        limits.lock = 600
        let events = Events()
        let membership = PostgreSQLEngine(limits).join(at: server.url) { events.add($0) }
        await eventually("it has joined") { events.joined == 1 }
        let other = try ServerConnection(server.url, limits)
        try other.run("BEGIN; LOCK TABLE atrium_changes.changes IN ACCESS EXCLUSIVE MODE")

        try ServerConnection(server.url, limits).run("NOTIFY atrium_changes")
        await eventually("it is lost", turns: 50_000_000) { events.losses == 1 }
        try other.run("COMMIT")
        await eventually("it is back") { events.joined == 2 }

        #expect(events.losses == 1)
        await membership.leave()
    }

    @Test("A host that slept for longer than changes are kept can't read what it missed")
    func slept() async throws {
        let module = try TestModule()
        let other = SharedDatabase(module.url, Limits())
        let connection = try other.pool.connect()
        try other.prepare(connection)
        var position = try other.changes.end(connection)
        try await module.database().write { $0.announce("slept", key: module.name) }

        position.moment -= 60
        let missed = try other.changes.read(from: &position, connection)
        position.moment -= 300
        let unknown = try other.changes.read(from: &position, connection)
        let next = try other.changes.read(from: &position, connection)

        #expect(missed?.contains { $0.key == module.name } == true)
        #expect(unknown == nil)
        // From then on it reads again.
        #expect(next?.contains { $0.key == module.name } == false)
    }

    @Test("Hosts are members while they are connected")
    func members() async throws {
        let (one, two) = try await Host.pair()
        let both = try await one.membership.members()
        #expect(both.isSuperset(of: [one.number, two.number]))
        #expect(one.number != two.number)

        await two.leave()

        try await eventually("it is gone") { try await !one.membership.members().contains(two.number) }
        #expect(try await one.membership.members().contains(one.number))
        await one.leave()
    }

    @Test("Many changes of one transaction are told as one of everything")
    func many() async throws {
        let (one, two) = try await Host.pair()
        let topic = one.topic

        _ = try await one.database.write { connection in
            for key in 0..<200 { connection.announce(topic, key: "\(key)") }
        }

        try await two.hears(["*"])
        await one.leave()
        await two.leave()
    }
}

/// A host of its own on the shared server, with a topic that no other test has.
private final class Host: Sendable {
    /// The name of its connections.
    let name: String
    let module: TestModule
    let database: any ManagedDatabase
    let membership: any DatabaseMembership
    let topic: String
    private let events: Events

    /// Two hosts with a topic of their own.
    static func pair() async throws -> (Host, Host) {
        let topic = "notes\(UInt32.random(in: 0 ... .max))"
        return (try await Host(topic), try await Host(topic))
    }

    private init(_ topic: String) async throws {
        name = "host\(UInt32.random(in: 0 ... .max))"
        self.topic = topic
        let url = try PostgreSQLServer.shared().url + "&application_name=\(name)"
        module = try TestModule(at: url)
        database = try module.database()
        let events = Events()
        self.events = events
        membership = module.engine.join(at: url) { events.add($0) }
        await eventually("it has joined") { events.joined > 0 }
    }

    var number: Int { events.number }
    var joined: Int { events.joined }
    var losses: Int { events.losses }
    var own: [String] { events.keys(of: topic, isOwn: true) }
    var heard: [String] { events.keys(of: topic, isOwn: false) }

    func change(_ key: String) async throws {
        let topic = topic
        try await database.write { connection in
            connection.announce(topic, key: key)
            try connection.execute(
                "INSERT INTO notes (id, text, size) VALUES ((SELECT coalesce(max(id), 10) + 1 FROM notes), ?, 0)",
                [.text(key)])
        }
    }

    func hears(_ keys: Set<String>) async throws {
        await eventually("\(name) hears \(keys)") { Set(self.heard).isSuperset(of: keys) }
        #expect(Set(heard) == keys)
    }

    func leave() async { await membership.leave() }
}

private final class Events: Sendable {
    private let all = Mutex<[MembershipEvent]>([])

    func add(_ event: MembershipEvent) { all.withLock { $0.append(event) } }

    var joined: Int { all.withLock { $0.count { if case .joined = $0 { true } else { false } } } }
    var losses: Int { all.withLock { $0.count { if case .lost = $0 { true } else { false } } } }
    var number: Int {
        all.withLock { $0.compactMap { if case .joined(let number) = $0 { number } else { nil } }.last ?? 0 }
    }

    func keys(of topic: String, isOwn: Bool) -> [String] {
        all.withLock { events in
            events.flatMap { event -> [String] in
                guard case .changed(let announcements, isOwn) = event else { return [] }
                return announcements.filter { $0.topic == topic }.map { $0.key ?? "*" }
            }
        }
    }
}
