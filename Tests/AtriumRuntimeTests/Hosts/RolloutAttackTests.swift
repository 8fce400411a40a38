@_spi(Host) import AtriumKit
import AtriumManifest
import TestSupport
import Testing

@testable import AtriumHosts
@testable import AtriumLibraries
@testable import AtriumModules

/// What an attacker writes who has all rights on the schema, and the reason that the host gives.
struct RolloutAttack: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var policy: HostConfiguration.Trust.Policy? = .signed
    let reason: String
    /// True if the order itself is valid, so that the host may record that it is done with it.
    private(set) var isRecorded = false
    let write: @MainActor @Sendable (RolloutBench) async throws -> Void

    init(
        _ name: String, policy: HostConfiguration.Trust.Policy? = .signed, _ reason: String,
        _ write: @escaping @MainActor @Sendable (RolloutBench) async throws -> Void
    ) {
        (testDescription, self.policy, self.reason, self.write) = (name, policy, reason, write)
    }

    /// The same with an order that is valid.
    private var recorded: RolloutAttack {
        var attack = self
        attack.isRecorded = true
        return attack
    }

    /// A valid rollout, changed by a statement.
    static func changed(_ name: String, _ reason: String, _ statements: String...) -> RolloutAttack {
        RolloutAttack(name, reason) { bench in
            let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
            try await bench.insert(next, bench.order(next))
            for statement in statements { try await bench.sql(statement) }
        }
    }

    /// A valid rollout whose order has other words than were signed.
    static func edited(_ field: String, _ former: String, _ new: String) -> RolloutAttack {
        changed(
            "edited order: \(field)", "its order or its signature was changed after it was signed",
            #"UPDATE rollouts SET "order" = replace("order", '\#(former)', '\#(new)')"#)
    }

    /// A valid signature under an order that says other than this host needs.
    static func signed(
        _ name: String, _ reason: String,
        _ make: @escaping @MainActor @Sendable (RolloutBench, SharedLibrary) async throws -> RolloutOrder
    ) -> RolloutAttack {
        RolloutAttack(name, reason) { bench in
            let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
            try await bench.insert(next, make(bench, next))
        }.recorded
    }

    static let all =
        orders + edits + rows + (libraries + contracts).map(\.recorded) + editedContracts + policies + states

    private static let orders = [
        changed("no order", "it has no signed order", #"UPDATE rollouts SET "order" = NULL"#),
        changed("no signature", "it has no signed order", "UPDATE rollouts SET signature = NULL"),
        changed(
            "an empty signature", "its order has no minisign signature", "UPDATE rollouts SET signature = ''"),
        changed(
            "a signature that is not base64", "in base64 was expected",
            "UPDATE rollouts SET signature = regexp_replace(signature, 'RUQ..', 'RUQ%%')"),
        changed(
            "an order larger than any", "it has no signed order",
            #"UPDATE rollouts SET "order" = repeat('x', 300000)"#),
        changed(
            "a signature larger than any", "it has no signed order",
            "UPDATE rollouts SET signature = repeat('x', 300000)"),
        changed(
            "another comment", "the comment of the order's signature was changed",
            "UPDATE rollouts SET signature = replace(signature, 'rollout of', 'return of')"),
        changed(
            "the signature of another key", "modules.json trusts C27FA0C60FD59F3C",
            "UPDATE rollouts SET signature = '\(Recorded.byOtherKey)'"),
        changed(
            "the signature of a library", "its order or its signature was changed after it was signed",
            "UPDATE rollouts SET signature = (SELECT convert_from(signature, 'UTF8') FROM libraries)"),
        RolloutAttack("another signed text", "its order can't be read") { bench in
            let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
            let text = #"{"version":1,"modules":[]}"#
            try await bench.insert(
                next, bench.order(next),
                .init(text: text, signature: bench.key.signature(of: Array(text.utf8), comment: "")))
        },
        signed("for another database", "its order is for another database") {
            try await $0.order($1, database: "7/atrium")
        },
        signed("expired", "its order expired at 2026-") {
            try await $0.order($1, until: RolloutBench.Now().now().adding(seconds: -1))
        },
        signed("from another version", "its order is for hosts with 0.9.0, but this one has 1.0.0") {
            try await $0.order($1, from: ["0.9.0"])
        },
        signed("from no version", "its order is for hosts with another version") {
            try await $0.order($1, from: [])
        },
        RolloutAttack("carried out before", "this host has already carried out its order") { bench in
            let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
            let order = try await bench.order(next)
            try await bench.insert(next, order)
            try await bench.work()
            try #require(bench.version == "1.1.0")
            _ = try await bench.manager.run(.rollback("Notes"))
            try await bench.insert(next, order)
        }.recorded,
        RolloutAttack("ended before it was carried out", "this host has already carried out its order") {
            bench in
            let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
            let order = try await bench.order(next)
            try await bench.insert(next, order)
            try await bench.sql("UPDATE rollouts SET state = 'aborted'")
            try await bench.work()
            try await bench.insert(next, order)
        }.recorded,
    ]

    private static let edits = [
        edited("module", #""module":"Notes""#, #""module":"Other""#),
        edited("version", #""version":"1.1.0""#, #""version":"1.2.0""#),
        edited("from", #""from":["1.0.0"]"#, #""from":["1.0.0","1.1.0"]"#),
        edited("digest", #""digest":""#, #""digest":"0"#),
        edited("machine", #""machine":""#, #""machine":"x"#),
        edited("database", #""database":""#, #""database":"1"#),
        edited("hosts", #""name":"one""#, #""name":"two""#),
        edited("batch", #""batch":1"#, #""batch":9"#),
        edited("wait", #""wait":0"#, #""wait":9"#),
        edited("until", #""until":1"#, #""until":2"#),
        edited("id", #""id":""#, #""id":"0"#),
        edited("skipsUnreachable", "false", "true"),
    ]

    private static let rows = [
        changed(
            "a row with another module", "its module is 'Other', but its order says 'Notes'",
            "UPDATE rollouts SET module = 'Other'"),
        changed(
            "a row with another version", "its version is '9.0.0', but its order says '1.1.0'",
            "UPDATE rollouts SET version = '9.0.0'"),
        changed(
            "a row with a version that is none", "its version is 'x",
            "UPDATE rollouts SET version = repeat('x', 99999)"),
        changed(
            "a row with another batch", "its batch is", "UPDATE rollouts SET batch = 9223372036854775807"),
        changed("a row with a wait that is no number", "its wait is", "UPDATE rollouts SET wait = 'NaN'"),
        changed("a row with a wait without end", "its wait is", "UPDATE rollouts SET wait = 'Infinity'"),
        changed(
            "a row with another digest", "its digest is not in its order", "UPDATE rollouts SET digest = 'x'"
        ),
        changed(
            "a row with NULL", "its version is ''",
            "ALTER TABLE rollouts ALTER COLUMN version DROP NOT NULL", "UPDATE rollouts SET version = NULL"),
    ]

    private static let libraries = [
        changed(
            "an unsigned library", "it has no minisign signature", "UPDATE libraries SET signature = ''"),
        changed(
            "a changed library", "its digest is",
            "UPDATE libraries SET bytes = set_byte(bytes, 70, (get_byte(bytes, 70) + 1) % 256)"),
        RolloutAttack("an older signed library under the digest", "its digest is") { bench in
            let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
            let old = try RolloutBench.library("Notes", "0.9.0", bench.key)
            try await bench.insert(next, bench.order(next))
            try await bench.sql(
                "UPDATE libraries SET bytes = ?, signature = ?", [.blob(old.bytes), .blob(old.signature)])
        },
        changed(
            "a library signed by another key", "trusts C27FA0C60FD59F3C",
            "UPDATE libraries SET signature = convert_to('\(Recorded.byOtherKey)', 'UTF8')"),
        changed(
            "a library with the signature of the order", "it or its signature was changed",
            "UPDATE libraries SET signature = (SELECT convert_to(signature, 'UTF8') FROM rollouts)"),
        changed("a library without a row", "does not have the build", "DELETE FROM libraries"),
        changed(
            "a row of another module", "its row does not match its manifest",
            "UPDATE libraries SET module = 'Other'"),
        changed(
            "a row of another version", "its row does not match its manifest",
            "UPDATE libraries SET version = '1.2.0'"),
        changed(
            "a row of another machine", "its row does not match its manifest",
            "UPDATE libraries SET machine = 'riscv64'"),
        changed("a row that can't be read", "its row can't be read", "UPDATE libraries SET sdk = 'x'"),
        RolloutAttack(
            "a library of another module under a valid order",
            "it is Other 1.1.0, but Notes 1.1.0 is expected"
        ) {
            let other = try RolloutBench.library("Other", "1.1.0", $0.key)
            try await $0.insert(other, $0.order(other))
        },
        RolloutAttack(
            "a library of another version under a valid order",
            "it is Notes 0.9.0, but Notes 1.1.0 is expected"
        ) {
            let old = try RolloutBench.library("Notes", "0.9.0", $0.key)
            try await $0.insert(old, $0.order(old))
        },
        RolloutAttack("a library for another machine under a valid order", "a library for another machine") {
            let other = try RolloutBench.library("Notes", "1.1.0", $0.key, machine: [243, 0])
            try await $0.insert(other, $0.order(other))
        },
        RolloutAttack("no library at all under a valid order", "is refused:") {
            let bytes = Array("#!/bin/sh".utf8)
            let next = try RolloutBench.library("Notes", "1.1.0", $0.key)
            let none = SharedLibrary(
                digest: ContentDigest(of: bytes).description, module: "Notes", version: next.version,
                kind: next.kind, bytes: bytes,
                signature: Array($0.key.signature(of: bytes, comment: "").utf8))
            try await $0.insert(none, $0.order(none))
        },
    ]

    private static let policies = [
        HostConfiguration.Trust.Policy.any, .locked, nil,
    ].map { policy in
        RolloutAttack(
            "policy \(policy?.rawValue ?? "none")", policy: policy,
            "code from a database needs trust policy 'signed'"
        ) { bench in
            let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
            try await bench.insert(next, bench.order(next))
        }
    }

    private static let states = [
        changed(
            "a done rollout without an order", "it has no signed order",
            #"UPDATE rollouts SET state = 'done', "order" = NULL"#),
        changed(
            "a failed rollout without an order that this host is said to have taken",
            "it has no signed order",
            #"UPDATE rollouts SET state = 'failed', "order" = NULL"#,
            "INSERT INTO rollout_hosts SELECT max(id), 'here', 'one', 'taking', 'x', 'y', NULL, 0 FROM rollouts"
        ),
        changed(
            "a returning rollout without an order", "it has no signed order",
            #"UPDATE rollouts SET state = 'returning', outcome = 'failed', "order" = NULL"#),
    ]
}

@Suite("Rows that an attacker writes into the database")
@MainActor
struct RolloutAttackTests {
    @Test(
        "Nothing of them runs or is written into the data folder, and the reason is reported",
        arguments: RolloutAttack.all)
    func attack(_ attack: RolloutAttack) async throws {
        let bench = try await RolloutBench(policy: attack.policy)
        try await attack.write(bench)
        let stored = bench.stored()

        try await bench.work()

        #expect(bench.version == "1.0.0")
        let after = bench.stored()
        let changed = Set(stored.keys).union(after.keys).filter { stored[$0] != after[$0] }
        #expect(changed.isSubset(of: attack.isRecorded ? ["./rollouts.json"] : []), "\(changed)")
        let reasons = try await bench.reasons()
        #expect(reasons.contains(attack.reason), "\(reasons)")
    }

    @Test("The kinds are many and have names of their own")
    func kinds() {
        #expect(RolloutAttack.all.count >= 50)
        #expect(Set(RolloutAttack.all.map(\.testDescription)).count == RolloutAttack.all.count)
    }

    @Test("A row that says this host took an older build, and must go back to it, changes nothing")
    func fakedReturn() async throws {
        let bench = try await RolloutBench()
        let old = try RolloutBench.library("Notes", "0.9.0", bench.key)
        let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
        try await bench.table.store(old)
        let id = try await bench.insert(next, bench.order(next))
        let present = try #require(bench.runtime.module("Notes")?.current?.library.digest)
        try await bench.sql(
            "INSERT INTO rollout_hosts VALUES (?, 'here', 'one', 'done', ?, ?, NULL, 0)",
            [id.databaseValue, .text(old.digest), .text(present)])
        try await bench.sql("UPDATE rollouts SET state = 'returning', outcome = 'failed'")

        try await bench.work()

        #expect(bench.version == "1.0.0" && bench.written.isEmpty)
    }

    @Test("A finished rollout can't be turned back by its row")
    func turnedBackLater() async throws {
        let bench = try await RolloutBench()
        let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
        try await bench.insert(next, bench.order(next))
        try await bench.work()
        try await bench.sql("UPDATE rollouts SET state = 'returning', outcome = 'failed'")

        try await bench.work()

        #expect(bench.version == "1.1.0")
    }
}

@Suite("A signed rollout")
@MainActor
struct SignedRolloutTests {
    @Test("A host takes it once, and ends it")
    func take() async throws {
        let bench = try await RolloutBench()
        let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
        let id = try await bench.insert(next, bench.order(next))

        try await bench.work()

        #expect(bench.version == "1.1.0")
        let rollout = try #require(try await bench.table.rollout(id))
        #expect(rollout.state == .done && rollout.hosts.map(\.state) == [.done])
    }

    @Test("A build that is not healthy is left, and the rollout has failed")
    func sick() async throws {
        let bench = try await RolloutBench()
        let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
        let id = try await bench.insert(next, bench.order(next))
        bench.health.problem = RolloutError("sick", "The health check failed.")

        try await bench.work()

        #expect(bench.version == "1.0.0")
        let rollout = try #require(try await bench.table.rollout(id))
        #expect(rollout.state == .failed && rollout.reason == "Host one: The health check failed.")
    }

    @Test("A host that does not answer blocks the rollout on the others, and fails it after a timeout")
    func silent() async throws {
        let bench = try await RolloutBench()
        let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
        let order = try await bench.order(
            next,
            hosts: [.init(identity: "here", name: "one"), .init(identity: "away", name: "two")])
        let id = try await bench.insert(next, order)

        try await bench.work()

        #expect(bench.version == "1.0.0" && bench.written.isEmpty)
        let running = try #require(try await bench.table.rollout(id))
        #expect(running.state == .running && running.hosts.isEmpty)

        try await bench.sql("UPDATE rollouts SET began = began - 60000000")
        try await bench.work()

        #expect(bench.version == "1.0.0" && bench.written.isEmpty)
        let ended = try #require(try await bench.table.rollout(id))
        #expect(ended.state == .failed && ended.reason == "Host two can't be reached.")
    }

    @Test("A contract comes with the module, into a folder for it, and leaves the database with it")
    func contract() async throws {
        let bench = try await RolloutBench()
        let contract = try RolloutBench.contract("1.1.0", bench.key)
        let next = try RolloutBench.library("Notes", "1.1.0", bench.key, needing: "^1.1", [contract])
        try await bench.insert(next, bench.order(next))
        // It has no code.
        bench.runtime.takeModules(["Notes": RolloutBench.Notes.self])

        try await bench.work()

        #expect(bench.version == "1.1.0")
        let folder = "libraries/Notes-1.1.0-\(next.digest.prefix(8)).so.contracts"
        let path = bench.folder.path("\(folder)/libPayments.so.1")
        #expect(contents(path) == contract.bytes && contents("\(path).minisig") == contract.signature)
        // As an older host removes it, which does not know of contracts.
        try await bench.sql("DELETE FROM libraries")
        #expect(try await bench.table.contract(contract.digest, of: next.digest) == nil)
    }

    @Test("A host that lacks a contract, and does not get it, refuses before code runs")
    func noContract() async throws {
        let bench = try await RolloutBench()
        let next = try RolloutBench.library("Notes", "1.1.0", bench.key, needing: "^1.1")
        let id = try await bench.insert(next, bench.order(next))
        bench.runtime.open = { _ in
            Issue.record("Code would run")
            return DynamicLibrary(address: nil) { RolloutBench.Notes() }
        }

        try await bench.work()

        #expect(bench.version == "1.0.0" && bench.written.isEmpty)
        let rollout = try #require(try await bench.table.rollout(id))
        #expect(rollout.state == .failed)
        #expect(rollout.reason?.contains("needs the contract Payments ^1.1, and there is no") == true)
    }

    @Test("An order without contracts is read by hosts that know of none, and theirs by this one")
    func olderOrder() async throws {
        let bench = try await RolloutBench()
        let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
        let order = try await bench.order(next)

        let text = try order.text

        #expect(!text.contains("contracts"))
        #expect(try RolloutOrder(text: text) == order)
    }

    @Test("An older build is taken when an order says so")
    func back() async throws {
        let bench = try await RolloutBench()
        let old = try RolloutBench.library("Notes", "0.9.0", bench.key)
        try await bench.insert(old, bench.order(old, version: "0.9.0"))

        try await bench.work()

        #expect(bench.version == "0.9.0")
    }

    @Test("A host that was away takes it, and no other order of the same number")
    func away() async throws {
        let bench = try await RolloutBench()
        let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
        let id = try await bench.insert(next, bench.order(next))
        try await bench.sql("UPDATE rollouts SET state = 'done'")

        try await bench.work()

        #expect(bench.version == "1.1.0")
        #expect(try await bench.table.rollout(id)?.hosts.map(\.detail) == ["was away"])
    }

    @Test(
        "A host for which the order names no library takes that of its own repositories, or says that it has none"
    )
    func otherKind() async throws {
        let bench = try await RolloutBench()
        let next = try RolloutBench.library("Notes", "1.1.0", bench.key)
        let other = SharedLibrary(
            digest: next.digest, module: next.module, version: next.version,
            kind: .init(machine: "riscv64", sdk: next.kind.sdk, inlinedLayout: 2, compiler: "6.0"),
            bytes: next.bytes, signature: next.signature)
        try await bench.insert(other, bench.order(other))

        try await bench.work()

        #expect(bench.version == "1.0.0")
        let reasons = try await bench.reasons()
        #expect(reasons.contains("The order names no library of Notes 1.1.0 for"))
        #expect(reasons.contains("and this host has none: No repository has a version"))
    }
}
