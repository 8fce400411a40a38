@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest

/// The state of rollouts, shared by all hosts: each host does its own part, and any of them ends a rollout.
extension HostTable {
    /// The topic announced when a rollout changes.
    static let rolloutTopic = "atrium.rollouts"

    // MARK: - Libraries

    /// Stores a library with its contracts, unless they are already stored.
    func store(_ library: SharedLibrary) async throws {
        try await database.write { connection in
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
            for contract in library.contracts {
                try connection.execute(
                    """
                    INSERT INTO library_contracts (library, digest, name, version, bytes, signature)
                    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (library, digest) DO NOTHING
                    """,
                    [
                        .text(library.digest), .text(contract.digest), .text(contract.name),
                        .text("\(contract.version)"), .blob(contract.bytes), .blob(contract.signature),
                    ])
            }
        }
    }

    /// The contract with a digest that is stored with a library; nil if there is none, or it is too large.
    func contract(_ digest: String, of library: String) async throws -> SharedLibrary.Contract? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT name, version, bytes, signature
                FROM library_contracts
                WHERE library = ? AND digest = ? AND octet_length(bytes) <= ? AND octet_length(signature) <= ?
                """,
                [
                    .text(library), .text(digest), RandomAccessFile.sizeLimit.databaseValue,
                    MinisignSignature.sizeLimit.databaseValue,
                ]
            ) { row in
                SharedLibrary.Contract(
                    digest: digest, name: try row.value(0),
                    version: try SemanticVersion(parsing: row.value(1)),
                    bytes: try row.bytes(2), signature: try row.bytes(3))
            }
        }
    }

    /// The library with a digest, as stored; nil if there is none, or it is too large to be a library.
    func library(_ digest: String) async throws -> SharedLibrary? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT machine, sdk, "inlinedLayout", compiler, module, version, bytes, signature
                FROM libraries
                WHERE digest = ? AND octet_length(bytes) <= ? AND octet_length(signature) <= ?
                """,
                [
                    .text(digest), RandomAccessFile.sizeLimit.databaseValue,
                    MinisignSignature.sizeLimit.databaseValue,
                ]
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

    /// Begins a rollout, unless one is running.
    ///
    /// - Returns: Its number; nil if another one is running.
    func begin(
        _ order: RolloutOrder, _ signed: RolloutOrder.Signed, digest: String, by host: String
    ) async throws -> Int? {
        try await database.write { connection in
            guard try Self.active(connection) == nil else { return nil }
            connection.announce(Self.rolloutTopic)
            return try connection.first(
                """
                INSERT INTO rollouts
                (module, version, digest, batch, wait, state, host, began, "order", signature)
                VALUES (?, ?, ?, ?, ?, ?, ?, \(Self.now), ?, ?) RETURNING id
                """,
                [
                    .text(order.module), .text("\(order.version)"), .text(digest),
                    order.batch.databaseValue, order.wait.databaseValue,
                    .text(Rollout.State.running.rawValue), .text(host), .text(signed.text),
                    .text(signed.signature),
                ]
            ) { try $0.value(0) }
        }
    }

    func activeRollout() async throws -> Rollout? { try await database.read { try Self.active($0) } }

    /// The newest rollouts, latest first.
    func rollouts(limit: Int) async throws -> [Rollout] {
        try await database.read {
            try Self.rollouts("ORDER BY id DESC LIMIT ?", [limit.databaseValue], $0)
        }
    }

    /// The rollouts after one, latest first.
    func rollouts(after id: Int) async throws -> [Rollout] {
        try await database.read {
            try Self.rollouts(
                "WHERE id > ? ORDER BY id DESC LIMIT \(Self.keptRollouts)", [id.databaseValue], $0)
        }
    }

    func rollout(_ id: Int) async throws -> Rollout? {
        try await database.read { try Self.rollouts("WHERE id = ?", [id.databaseValue], $0).first }
    }

    private static func active(_ connection: any DatabaseConnection) throws -> Rollout? {
        try rollouts("WHERE state IN ('running', 'returning') ORDER BY id LIMIT 1", [], connection).first
    }

    private static func rollouts(
        _ condition: String, _ arguments: [DatabaseValue], _ connection: any DatabaseConnection
    ) throws -> [Rollout] {
        let ids = try connection.query("SELECT id FROM rollouts \(condition)", arguments) {
            try $0.value(0, as: Int.self)
        }
        return try ids.compactMap { id in
            let hosts = try members(of: id, connection)
            return try connection.first(
                """
                SELECT \(["module", "version", "state", "reason", "host", "digest"].map(bounded).joined(separator: ", ")),
                    batch, wait, began, \(age(of: "began")),
                    CASE WHEN octet_length("order") <= \(RolloutOrder.sizeLimit) THEN "order" END,
                    CASE WHEN octet_length(signature) <= \(MinisignSignature.sizeLimit) THEN signature END
                FROM rollouts WHERE id = ?
                """, [id.databaseValue]
            ) { Self.rollout(id, $0, hosts) }
        }
    }

    /// A row with any contents: an unreadable one must be refused, not skipped.
    private static func rollout(_ id: Int, _ row: DatabaseRow, _ hosts: [Rollout.Member]) -> Rollout {
        let text = { (index: Int) in (try? row.value(index, as: String?.self)) ?? nil }
        let order = text(10).flatMap { order in
            text(11).map { RolloutOrder.Signed(text: order, signature: $0) }
        }
        return Rollout(
            id: id, module: text(0) ?? "", version: text(1) ?? "", digest: text(5) ?? "",
            batch: (try? row.value(6)) ?? 0, wait: (try? row.value(7)) ?? 0, order: order,
            state: text(2).flatMap(Rollout.State.init) ?? .failed, reason: text(3), host: text(4) ?? "",
            began: (try? row.value(8)) ?? Timestamp(microseconds: 0), age: (try? row.value(9)) ?? 0,
            hosts: hosts)
    }

    private static func members(
        of id: Int, _ connection: any DatabaseConnection
    ) throws -> [Rollout.Member] {
        try connection.query(
            """
            SELECT \(["identity", "name", "state", "detail"].map(bounded).joined(separator: ", ")),
                \(age(of: "at"))
            FROM rollout_hosts WHERE rollout = ? ORDER BY name, identity LIMIT 10000
            """, [id.databaseValue]
        ) { row in
            let text = { (index: Int) in (try? row.value(index, as: String?.self)) ?? nil }
            return Rollout.Member(
                identity: text(0) ?? "", name: text(1) ?? "",
                state: text(2).flatMap(Rollout.Member.State.init) ?? .failed, detail: text(3),
                age: (try? row.value(4)) ?? 0)
        }
    }

    /// A column, cut to the length that a message may have.
    private static func bounded(_ column: String) -> String { "left(\(column), 2000)" }

    /// The seconds since a time in the table.
    private static func age(of column: String) -> String {
        "(extract(epoch FROM clock_timestamp()) - \(column) / 1000000.0)::double precision"
    }

    // MARK: - The part of a host

    /// Lets a host, which has the build `previous`, take a library, if the rollout is running and the host is
    /// in the next batch of `hosts`: those with the module, in the order in which they take it.
    func claim(
        _ rollout: Rollout, for host: SharedHost, previous: String, taking digest: String,
        _ order: RolloutOrder, among hosts: [String]
    ) async throws -> Bool {
        try await database.write { connection in
            guard
                let present = try Self.rollouts(
                    "WHERE id = ?", [rollout.id.databaseValue], connection
                ).first, present.state == .running, present.mayTake(host.identity, order, among: hosts)
            else { return false }
            connection.announce(Self.rolloutTopic)
            try connection.execute(
                """
                INSERT INTO rollout_hosts (rollout, identity, name, state, previous, taken, at)
                VALUES (?, ?, ?, 'taking', ?, ?, \(Self.now))
                ON CONFLICT (rollout, identity) DO UPDATE SET taken = excluded.taken, at = excluded.at
                """,
                [
                    rollout.id.databaseValue, .text(host.identity), .text(host.name), .text(previous),
                    .text(digest),
                ])
            return true
        }
    }

    /// Records a host's state; `ends` is the reason to turn a running rollout back.
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
                ON CONFLICT (rollout, identity) DO UPDATE
                SET state = excluded.state, detail = excluded.detail, at = excluded.at
                """,
                [
                    rollout.id.databaseValue, .text(host.identity), .text(host.name), .text(state.rawValue),
                    detail.databaseValue,
                ])
        }
    }

    /// Makes all hosts go back, unless the rollout has ended.
    ///
    /// - Returns: True if it was running.
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

    /// Ends a rollout if nothing is left to do, or makes all hosts go back if one can't be reached.
    ///
    /// `order` is nil if no valid order was signed: the hosts only go back then. `hosts` are the connected
    /// ones; for a running rollout, those with the module.
    func endIfComplete(_ rollout: Rollout, _ order: RolloutOrder?, hosts: Set<String>) async throws {
        try await database.write { connection in
            guard
                let present = try Self.rollouts("WHERE id = ?", [rollout.id.databaseValue], connection).first
            else { return }
            switch present.end(order, hosts) {
            case .no: return
            case .failed(let reason): _ = try Self.turnBack(present, .failed, reason, connection)
            case .done:
                try connection.execute(
                    "UPDATE rollouts SET state = 'done' WHERE id = ?", [rollout.id.databaseValue])
            case .returned:
                try connection.execute(
                    "UPDATE rollouts SET state = coalesce(outcome, 'failed') WHERE id = ?",
                    [rollout.id.databaseValue])
            }
            connection.announce(Self.rolloutTopic)
        }
    }
}
