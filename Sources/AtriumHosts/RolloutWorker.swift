@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumModules

/// This host's part in rollouts: installs when scheduled; rolls back when any host fails.
///
/// No host leads: the state is in the database, and every step is a transaction on it. So a rollout survives
/// the loss of any host.
@MainActor
package final class RolloutWorker {
    let table: HostTable
    let manager: ModuleManager
    let describe: @MainActor () -> SharedHost?
    private let connectedHosts: @MainActor () async throws -> [SharedHost]
    private let checkHealth: @MainActor () async throws -> Void
    private let record: RolloutRecord
    let clock: any WallClock
    private var isWorking = false
    private var isOutdated = false
    /// The last ended rollout that this host is done with.
    private var settled = 0
    /// The messages already recorded, as a rollout is examined repeatedly.
    private var reported: Set<String> = []

    init(
        _ table: HostTable, _ manager: ModuleManager, record: RolloutRecord,
        clock: any WallClock = SystemClock(), describe: @escaping @MainActor () -> SharedHost?,
        connectedHosts: @escaping @MainActor () async throws -> [SharedHost],
        checkHealth: @escaping @MainActor () async throws -> Void
    ) {
        self.table = table
        self.manager = manager
        self.record = record
        self.clock = clock
        self.describe = describe
        self.connectedHosts = connectedHosts
        self.checkHealth = checkHealth
    }

    var runtime: ModuleRuntime { manager.runtime }

    private func digest(of name: String) -> String? { runtime.module(name)?.current?.library.digest }

    // MARK: - Hosts

    /// The hosts that have a module, in the order in which they joined.
    func hosts(with name: String) async throws -> [SharedHost] {
        try await hostsAtWork().filter { host in host.modules.contains { $0.name == name } }
    }

    /// The hosts with a recent heartbeat: a stopped host must not block the rollout.
    private func hostsAtWork() async throws -> [SharedHost] { try await hosts { $0 < 30 } }

    /// The connected hosts, filtered by the seconds since their last heartbeat.
    func hosts(where isWanted: (_ silence: Int64) -> Bool) async throws -> [SharedHost] {
        let hosts = try await connectedHosts()
        let newest = hosts.map(\.seen.microseconds).max() ?? 0
        return hosts.filter { isWanted(newest.subtractingClamped($0.seen.microseconds) / 1_000_000) }
    }

    // MARK: - Working

    /// Does the pending work, and looks again if something changed in the meantime.
    package func work() {
        isOutdated = true
        guard !isWorking else { return }
        isWorking = true
        Task {
            while isOutdated {
                isOutdated = false
                do { try await step() } catch {
                    // The next change, or this host's next heartbeat, triggers another attempt.
                    if !error.isPassing { report(nil, error) }
                }
            }
            isWorking = false
        }
    }

    func step() async throws {
        guard let rollout = try await table.activeRollout() else { return try await catchUp() }
        guard let me = describe() else { return }
        let mine = rollout.hosts.first { $0.identity == me.identity }
        let hosts = try await hostsAtWork()
        let concerned = hosts.filter { host in host.modules.contains { $0.name == rollout.module } }
        let gate = try await gate()
        let order: RolloutOrder
        do {
            order = try gate.order(of: rollout)
        } catch {
            try await refuse(rollout, me, mine, error)
            return try await table.endIfComplete(rollout, nil, hosts: Set(hosts.map(\.identity)))
        }
        switch rollout.state {
        case .running where mine?.state == .done: try await watchDone(rollout, order, me)
        case .running where mine?.state != .failed:
            if runtime.module(order.module) != nil {
                try await take(rollout, order, me, mine, gate, among: concerned.map(\.identity))
            }
        case .returning where mine?.state == .taking || mine?.state == .done:
            try await goBack(rollout, order, me, gate)
        default: break
        }
        if rollout.state == .returning { try record.end(order) }
        let awaited = rollout.state == .returning ? hosts : concerned
        try await table.endIfComplete(rollout, order, hosts: Set(awaited.map(\.identity)))
    }

    private func gate() async throws -> RolloutGate {
        try runtime.renewTrust()
        return RolloutGate(
            trust: runtime.reader.trust, database: try await table.identity(), now: clock.now())
    }

    /// Refuses a rollout, with the reason in this host's journal and in the database.
    private func refuse(
        _ rollout: Rollout, _ me: SharedHost, _ mine: Rollout.Member?, _ error: any Error
    ) async throws {
        // The rollout may be valid for the hosts that have the module.
        guard runtime.module(rollout.module) != nil else {
            if runtime.reader.trust?.policy == .signed { report(rollout, error) }
            return
        }
        report(rollout, error)
        guard mine?.state != .failed || rollout.state == .running else { return }
        let reason = ModuleError.message(of: error)
        try await table.note(
            .failed, of: me, in: rollout, detail: reason, ends: "Host \(me.name): \(reason)")
    }

    private func report(_ rollout: Rollout?, _ error: any Error) {
        let reason = ModuleError.message(of: error)
        guard reported.insert(reason).inserted else { return }
        let known = rollout.flatMap { runtime.module($0.module)?.name }
        runtime.journal.record("refused", module: known, reason)
    }

    /// Takes the build when it is this host's turn, and watches it.
    private func take(
        _ rollout: Rollout, _ order: RolloutOrder, _ me: SharedHost, _ mine: Rollout.Member?,
        _ gate: RolloutGate, among hosts: [String]
    ) async throws {
        guard let module = runtime.module(order.module) else { return }
        let entry = try record.entry(of: order)
        do {
            try gate.requireTime(order, of: rollout)
            if let entry, entry.hasEnded { throw RolloutError.carriedOut(rollout) }
            if mine?.state == .taking, module.isOut { throw RolloutError.crashed(module) }
            let present = digest(of: module.name)
            let library = try await library(of: order, gate)
            if entry == nil {
                if present == library.digest {
                    return try await table.note(.done, of: me, in: rollout, detail: "had it already")
                }
                try gate.requireStart(order, of: rollout, at: module.version)
            }
            guard let previous = entry?.previous ?? present,
                try await table.claim(
                    rollout, for: me, previous: previous, taking: library.digest, order, among: hosts)
            else { return }
            if entry == nil { try await begin(order, leaving: module, taking: library.digest) }
            try await exchange(module, for: library)
            try await watch(rollout, order)
        } catch {
            if error.isPassing { throw error }
            return try await fail(rollout, order, me, error)
        }
        // The rollout may be done without this host, if it was away in between.
        let state = try await table.rollout(rollout.id)?.state
        guard state == .running || state == .done else { return }
        try await table.note(.done, of: me, in: rollout)
    }

    /// Watches a build that this host has taken, while others take it.
    private func watchDone(_ rollout: Rollout, _ order: RolloutOrder, _ me: SharedHost) async throws {
        guard let entry = try record.entry(of: order), !entry.hasEnded,
            let module = runtime.module(order.module)
        else { return }
        do {
            if module.isOut { throw RolloutError.crashed(module) }
            try await checkHealth()
        } catch {
            if error.isPassing { throw error }
            try await fail(rollout, order, me, error)
        }
    }

    /// The library for this host: the one that the order names, or else the one in this host's repositories.
    ///
    /// - Throws: ``RolloutError`` if the database has a different one.
    private func library(of order: RolloutOrder, _ gate: RolloutGate) async throws -> SharedLibrary {
        guard let wanted = order.fitting else {
            do {
                return try await manager.libraryToRollOut(
                    order.module, VersionRange(parsing: "=\(order.version)"))
            } catch {
                throw RolloutError.noLibrary(order, error)
            }
        }
        return try await stored(wanted.digest, wanted.contracts ?? [], of: order.module, order.version, gate)
    }

    /// A library from the database with its contracts, once checked.
    private func stored(
        _ digest: String, _ contracts: [String], of module: String, _ version: SemanticVersion?,
        _ gate: RolloutGate
    ) async throws -> SharedLibrary {
        var library = try await row("The library of module '\(module)' in the database") {
            try await table.library(digest)
        }
        guard library != nil else {
            throw RolloutError(
                .notFound, "The database does not have the build \(digest.prefix(16))… of '\(module)'.")
        }
        for contract in contracts {
            let stored = try await row("A contract of module '\(module)' in the database") {
                try await table.contract(contract, of: digest)
            }
            guard let stored else {
                throw RolloutError(
                    .notFound,
                    "The database does not have the contract \(contract.prefix(16))… of '\(module)'.")
            }
            library?.contracts.append(stored)
        }
        return try await runtime.reader.inBackground { [library] _ in
            guard let library else { throw CancellationError() }
            try gate.check(library, digest: digest, of: module, version)
            try gate.checkContracts(of: library, digests: contracts)
            return library
        }
    }

    /// Reads a row, which may have any contents.
    private func row<Value>(_ what: String, _ read: () async throws -> Value?) async throws -> Value? {
        do {
            return try await read()
        } catch {
            if error.isPassing { throw error }
            throw RolloutError.refused(
                what, "its row can't be read: \(ModuleError.message(of: error))", error)
        }
    }

    /// Records and stores the present build: this host may go back to it, after a restart too.
    private func begin(_ order: RolloutOrder, leaving module: Module, taking digest: String) async throws {
        let present = try await manager.presentLibrary(of: module)
        try await table.store(present)
        try record.begin(order, leaving: present, taking: digest)
    }

    private func exchange(_ module: Module, for library: SharedLibrary) async throws {
        guard digest(of: module.name) != library.digest else { return }
        try await manager.take(library)
    }

    /// Checks the health for the time that the rollout sets, or until the rollout stops.
    private func watch(_ rollout: Rollout, _ order: RolloutOrder) async throws {
        let end = ContinuousClock.now + .seconds(order.wait)
        while true {
            try await checkHealth()
            let rest = end - .now
            guard rest > .zero, try await table.rollout(rollout.id)?.state == .running else { return }
            try await Task.sleep(for: min(rest, .milliseconds(500)))
        }
    }

    /// Goes back, and makes all other hosts do so.
    private func fail(
        _ rollout: Rollout, _ order: RolloutOrder, _ me: SharedHost, _ error: any Error
    ) async throws {
        if error.isRefusal { report(rollout, error) }
        let reason = ModuleError.message(of: error)
        var detail = reason
        do {
            try await restore(order, try await gate())
        } catch {
            detail += " It could not go back: \(ModuleError.message(of: error))"
        }
        try await table.note(
            .failed, of: me, in: rollout, detail: detail, ends: "Host \(me.name): \(reason)")
    }

    /// Goes back to the previous build, unless the module has since got a third one.
    private func goBack(
        _ rollout: Rollout, _ order: RolloutOrder, _ me: SharedHost, _ gate: RolloutGate
    ) async throws {
        do {
            try await restore(order, gate)
            try record.end(order)
            try await table.note(.returned, of: me, in: rollout)
        } catch {
            if error.isPassing { throw error }
            if error.isRefusal { report(rollout, error) }
            try record.end(order)
            try await table.note(
                .failed, of: me, in: rollout,
                detail: "It could not go back: \(ModuleError.message(of: error))")
        }
    }

    /// Restores the build from before an order, according to this host's own record.
    private func restore(_ order: RolloutOrder, _ gate: RolloutGate) async throws {
        guard let entry = try record.entry(of: order), !entry.hasEnded, let previous = entry.previous,
            let module = runtime.module(order.module)
        else { return }
        let present = digest(of: module.name)
        guard present != previous, present == nil || present == entry.taken else { return }
        if module.previous?.digest == previous, module.current != nil {
            _ = try await manager.run(.rollback(module.name))
        } else {
            try await manager.take(
                stored(previous, entry.contracts ?? [], of: module.name, nil, gate))
        }
    }

    // MARK: - After a time away

    /// Takes builds that were rolled out while this host was away, and leaves those that were rolled back.
    private func catchUp() async throws {
        guard let me = describe() else { return }
        try record.clean(now: clock.now())
        let ended = try await table.rollouts(after: settled)
        guard !ended.isEmpty else { return }
        let gate = try await gate()
        let concerned = ended.filter { !$0.state.isActive && runtime.module($0.module) != nil }
        let newest = Dictionary(concerned.map { ($0.module, $0.id) }) { first, _ in first }
        // In order, so that rolling back an earlier one does not undo a later one.
        for rollout in concerned.reversed() {
            let mine = rollout.hosts.first { $0.identity == me.identity }
            let isNewest = newest[rollout.module] == rollout.id
            let order: RolloutOrder
            do {
                order = try gate.order(of: rollout)
            } catch {
                if isNewest, mine?.state != .done { try await decline(rollout, me, error) }
                continue
            }
            if rollout.state != .done {
                if mine?.state == .taking || mine?.state == .done {
                    try await goBack(rollout, order, me, gate)
                }
            } else if isNewest {
                guard try await catchUp(rollout, order, me, mine, gate) else { continue }
            }
            try record.end(order)
        }
        settled = ended.first { !$0.state.isActive }?.id ?? settled
    }

    /// - Returns: True if nothing is left to do; a failure is retried at the next start.
    private func catchUp(
        _ rollout: Rollout, _ order: RolloutOrder, _ me: SharedHost, _ mine: Rollout.Member?,
        _ gate: RolloutGate
    ) async throws -> Bool {
        guard mine?.state != .done, let module = runtime.module(order.module) else { return true }
        let entry = try record.entry(of: order)
        // A newer build that this host got otherwise stays.
        if entry == nil, module.version > order.version, !order.from.contains(module.version) { return true }
        do {
            try gate.requireTime(order, of: rollout)
            if let entry, entry.hasEnded { throw RolloutError.carriedOut(rollout) }
            if mine?.state == .taking, module.isOut { throw RolloutError.crashed(module) }
            let library = try await library(of: order, gate)
            let present = digest(of: module.name)
            if entry == nil, present != library.digest {
                try gate.requireStart(order, of: rollout, at: module.version)
                if present != nil { try await begin(order, leaving: module, taking: library.digest) }
            }
            try await exchange(module, for: library)
            try await checkHealth()
            try await table.note(.done, of: me, in: rollout, detail: "was away")
            return true
        } catch {
            if error.isPassing { throw error }
            try? await restore(order, gate)
            try await decline(rollout, me, error)
            return false
        }
    }

    /// Records why this host has not taken a build that was rolled out while it was away.
    private func decline(_ rollout: Rollout, _ me: SharedHost, _ error: any Error) async throws {
        if error.isRefusal { report(rollout, error) }
        try await table.note(
            .failed, of: me, in: rollout, detail: "was away: \(ModuleError.message(of: error))")
    }
}

extension Module {
    /// True if it failed after the host was restarted.
    fileprivate var isOut: Bool {
        switch state {
        case .failed, .quarantined: true
        default: false
        }
    }
}

extension Error {
    fileprivate var isRefusal: Bool { (self as? RolloutError)?.code == RolloutError.refused }

    /// True if the error is transient.
    fileprivate var isPassing: Bool {
        let codes: [ErrorCode] = [
            .databaseUnreachable, .databaseConflict, .databaseLocked, .databaseOutcomeUnknown,
        ]
        return (self as? DatabaseError).map { codes.contains($0.code) } == true
    }
}

extension RolloutError {
    fileprivate static func carriedOut(_ rollout: Rollout) -> RolloutError {
        .refused(
            "Rollout \(rollout.id)", "this host has already carried out its order, or the rollout has ended")
    }

    @MainActor fileprivate static func crashed(_ module: Module) -> RolloutError {
        RolloutError(
            "moduleFailed",
            "Module '\(module.name)' is \(module.state.name) since the host was started again"
                + "\(module.state.reason.map { ": \($0)" } ?? ".")")
    }
}
