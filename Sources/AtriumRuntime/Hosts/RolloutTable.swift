@_spi(Host) internal import AtriumKit
internal import AtriumManifest

/// The state of rollouts, which all hosts share: each host does its own part, and any of them ends a rollout.
extension HostTable {
    /// What is announced when a rollout changes.
    static let rolloutTopic = "atrium.rollouts"

    // MARK: - Libraries

    /// Stores a library, unless it is there.
    func store(_ library: SharedLibrary) async throws {
        _ = try await database.write { connection in
            try connection.execute(
                """
                INSERT INTO libraries
                (digest, module, version, machine, sdk, "inlinedLayout", compiler, bytes, signature)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO NOTHING
                """,
                [
                    .text(library.digest), .text(library.module), .text("\(library.version)"),
                    .text(library.kind.machine), .text("\(library.kind.sdk)"),
                    library.kind.inlinedLayout.databaseValue, .text(library.kind.compiler),
                    .blob(library.bytes), .blob(library.signature),
                ])
        }
    }

    /// The library of a rollout that fits this host: the one that it began with, or another of the same version.
    func library(of rollout: Rollout) async throws -> SharedLibrary? {
        let stored = try await database.read { connection in
            try connection.query(
                """
                SELECT machine, sdk, "inlinedLayout", compiler, digest FROM libraries
                WHERE module = ? AND version = ? ORDER BY digest <> ?, digest
                """, [.text(rollout.module), .text("\(rollout.version)"), .text(rollout.digest)]
            ) { (kind: try Self.kind($0), digest: try $0.value(4, as: String.self)) }
        }
        guard let fitting = stored.first(where: \.kind.fitsThisHost) else { return nil }
        return try await library(fitting.digest)
    }

    func library(_ digest: String) async throws -> SharedLibrary? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT machine, sdk, "inlinedLayout", compiler, module, version, bytes, signature
                FROM libraries WHERE digest = ?
                """, [.text(digest)]
            ) { row in
                SharedLibrary(
                    digest: digest, module: try row.value(4),
                    version: try SemanticVersion(parsing: row.value(5)), kind: try Self.kind(row),
                    bytes: try row.bytes(6), signature: try row.bytes(7))
            }
        }
    }

    private static func kind(_ row: DatabaseRow) throws -> SharedLibrary.Kind {
        SharedLibrary.Kind(
            machine: try row.value(0), sdk: try SemanticVersion(parsing: row.value(1)),
            inlinedLayout: try row.value(2), compiler: try row.value(3))
    }

    // MARK: - Rollouts

    /// Begins a rollout, unless one is under way.
    ///
    /// - Returns: Its number; nil if one is under way.
    func begin(_ library: SharedLibrary, batch: Int, wait: Double, by host: String) async throws -> Int? {
        try await database.write { connection in
            guard try Self.active(connection) == nil else { return nil }
            connection.announce(Self.rolloutTopic)
            return try connection.first(
                """
                INSERT INTO rollouts (module, version, digest, batch, wait, state, host, began)
                VALUES (?, ?, ?, ?, ?, ?, ?, \(Self.now)) RETURNING id
                """,
                [
                    .text(library.module), .text("\(library.version)"), .text(library.digest),
                    batch.databaseValue,
                    wait.databaseValue, .text(Rollout.State.running.rawValue), .text(host),
                ]
            ) { try $0.value(0) }
        }
    }

    /// The rollout that is under way.
    func activeRollout() async throws -> Rollout? { try await database.read { try Self.active($0) } }

    /// The newest rollouts, the last one first.
    func rollouts(limit: Int) async throws -> [Rollout] {
        try await database.read {
            try Self.rollouts("ORDER BY id DESC LIMIT ?", [limit.databaseValue], $0)
        }
    }

    /// The rollouts after one, the last one first.
    func rollouts(after id: Int) async throws -> [Rollout] {
        try await database.read {
            try Self.rollouts("WHERE id > ? ORDER BY id DESC LIMIT 100", [id.databaseValue], $0)
        }
    }

    func rollout(_ id: Int) async throws -> Rollout? {
        try await database.read { try Self.rollouts("WHERE id = ?", [id.databaseValue], $0).first }
    }

    private static func active(_ connection: any DatabaseConnection) throws -> Rollout? {
        try rollouts("WHERE state IN ('running', 'returning')", [], connection).first
    }

    private static func rollouts(
        _ condition: String, _ arguments: [DatabaseValue], _ connection: any DatabaseConnection
    ) throws -> [Rollout] {
        let ids = try connection.query("SELECT id FROM rollouts \(condition)", arguments) {
            try $0.value(0, as: Int.self)
        }
        return try ids.compactMap { id in
            let hosts = try connection.query(
                """
                SELECT identity, name, rollout_hosts.state, previous, taken, detail,
                    at > \(now) - ((wait + \(patience)) * 1000000)::bigint
                FROM rollout_hosts JOIN rollouts ON rollouts.id = rollout WHERE rollout = ?
                ORDER BY name, identity
                """, [id.databaseValue]
            ) { row in
                Rollout.Member(
                    identity: try row.value(0), name: try row.value(1),
                    state: Rollout.Member.State(rawValue: try row.value(2)) ?? .failed,
                    previous: try row.value(3), taken: try row.value(4), detail: try row.value(5),
                    isRecent: try row.value(6))
            }
            return try connection.first(
                "SELECT module, version, batch, wait, state, reason, host, began, digest FROM rollouts WHERE id = ?",
                [id.databaseValue]
            ) { row in
                Rollout(
                    id: id, module: try row.value(0), version: try SemanticVersion(parsing: row.value(1)),
                    digest: try row.value(8),
                    batch: try row.value(2), wait: try row.value(3),
                    state: Rollout.State(rawValue: try row.value(4)) ?? .failed, reason: try row.value(5),
                    host: try row.value(6), began: try row.value(7), hosts: hosts)
            }
        }
    }

    // MARK: - The part of a host

    /// For how many seconds a host that is away is waited for.
    static let patience = 30

    /// Lets a host, which has the build `previous`, take a library, if the rollout runs and the host is in the next
    /// batch: `order` has the hosts with the module, in the order in which they take it.
    func claim(
        _ rollout: Rollout, for host: SharedHost, previous: String, taking library: SharedLibrary,
        order: [String]
    ) async throws -> Bool {
        try await database.write { connection in
            guard
                let present = try Self.rollouts(
                    "WHERE id = ?", [rollout.id.databaseValue], connection
                ).first, present.state == .running
            else { return false }
            let states = Dictionary(present.hosts.map { ($0.identity, $0.state) }) { first, _ in first }
            if states[host.identity] != .taking {
                let room = present.batch - present.taking(among: Set(order)).count
                let next = order.filter { states[$0] == nil }.prefix(max(0, room))
                guard next.contains(host.identity) else { return false }
            }
            connection.announce(Self.rolloutTopic)
            try connection.execute(
                """
                INSERT INTO rollout_hosts (rollout, identity, name, state, previous, taken, at)
                VALUES (?, ?, ?, 'taking', ?, ?, \(Self.now))
                ON CONFLICT (rollout, identity) DO UPDATE SET taken = excluded.taken, at = excluded.at
                """,
                [
                    rollout.id.databaseValue, .text(host.identity), .text(host.name), .text(previous),
                    .text(library.digest),
                ])
            return true
        }
    }

    /// Notes what a host has done; `ends` says why the rollout does not go on, if it runs.
    func note(
        _ state: Rollout.Member.State, of host: SharedHost, in rollout: Rollout, detail: String? = nil,
        ends reason: String? = nil
    ) async throws {
        try await database.write { connection in
            if let reason { try Self.turnBack(rollout, .failed, reason, connection) }
            connection.announce(Self.rolloutTopic)
            _ = try connection.execute(
                """
                INSERT INTO rollout_hosts (rollout, identity, name, state, detail, at)
                VALUES (?, ?, ?, ?, ?, \(Self.now))
                ON CONFLICT (rollout, identity) DO UPDATE SET state = excluded.state, detail = excluded.detail
                """,
                [
                    rollout.id.databaseValue, .text(host.identity), .text(host.name), .text(state.rawValue),
                    detail.databaseValue,
                ])
        }
    }

    /// Has all hosts go back, unless the rollout has ended.
    ///
    /// - Returns: Whether it was running.
    @discardableResult
    func turnBack(_ rollout: Rollout, _ outcome: Rollout.State, _ reason: String) async throws -> Bool {
        try await database.write { try Self.turnBack(rollout, outcome, reason, $0) }
    }

    @discardableResult
    private static func turnBack(
        _ rollout: Rollout, _ outcome: Rollout.State, _ reason: String, _ connection: any DatabaseConnection
    ) throws -> Bool {
        connection.announce(rolloutTopic)
        return try connection.execute(
            "UPDATE rollouts SET state = 'returning', outcome = ?, reason = ? WHERE id = ? AND state = 'running'",
            [.text(outcome.rawValue), .text(reason), rollout.id.databaseValue]) > 0
    }

    /// Ends a rollout if none of the hosts, which are connected and have the module, has anything left to do.
    func endIfComplete(_ rollout: Rollout, hosts: Set<String>) async throws {
        try await database.write { connection in
            guard
                let present = try Self.rollouts("WHERE id = ?", [rollout.id.databaseValue], connection).first
            else { return }
            let states = Dictionary(present.hosts.map { ($0.identity, $0.state) }) { first, _ in first }
            switch present.state {
            case .running
            where states.values.contains(.done) && hosts.allSatisfy({ states[$0] == .done })
                && present.taking(among: hosts).isEmpty:
                try connection.execute(
                    "UPDATE rollouts SET state = 'done' WHERE id = ?", [rollout.id.databaseValue])
            case .returning
            where hosts.allSatisfy({ states[$0] == nil || states[$0] == .returned || states[$0] == .failed }):
                try connection.execute(
                    "UPDATE rollouts SET state = outcome WHERE id = ?", [rollout.id.databaseValue])
            default: return
            }
            connection.announce(Self.rolloutTopic)
        }
    }
}

extension Rollout {
    /// The hosts that are taking it: of the connected ones, and those that began lately.
    fileprivate func taking(among connected: Set<String>) -> [Member] {
        hosts.filter { $0.state == .taking && ($0.isRecent || connected.contains($0.identity)) }
    }
}
