@_spi(Host) internal import AtriumKit
package import AtriumManifest

/// This host's part in rollouts: it takes a build when it is its turn, and goes back when another host could not.
///
/// No host leads: the state is in the database, and every step is a transaction on it. So a rollout survives the
/// death of any host.
@MainActor
package final class RolloutWorker {
    private let table: HostTable
    private let manager: ModuleManager
    private let describe: @MainActor () -> SharedHost?
    private let connectedHosts: @MainActor () async throws -> [SharedHost]
    private let checkHealth: @MainActor () async throws -> Void
    private var isWorking = false
    private var isOutdated = false
    /// The last rollout that has ended and of which this host has nothing more to do.
    private var settled = 0

    init(
        _ table: HostTable, _ manager: ModuleManager, describe: @escaping @MainActor () -> SharedHost?,
        connectedHosts: @escaping @MainActor () async throws -> [SharedHost],
        checkHealth: @escaping @MainActor () async throws -> Void
    ) {
        self.table = table
        self.manager = manager
        self.describe = describe
        self.connectedHosts = connectedHosts
        self.checkHealth = checkHealth
    }

    private var runtime: ModuleRuntime { manager.runtime }

    private func digest(of name: String) -> String? { runtime.module(name)?.current?.library.digest }

    // MARK: - For commands

    /// What a rollout would take, and to which hosts, in batches.
    package func plan(
        _ name: String, _ range: VersionRange
    ) async throws -> (version: SemanticVersion, hosts: [SharedHost]) {
        let library = try await manager.libraryToRollOut(name, range)
        return (library.version, try await hosts(with: name))
    }

    /// Stores the library and begins its rollout.
    ///
    /// - Throws: ``RolloutError`` if one is under way.
    package func begin(
        _ name: String, _ range: VersionRange, batch: Int, wait: Double
    ) async throws -> Rollout {
        let library = try await manager.libraryToRollOut(name, range)
        try await table.store(library)
        guard let id = try await table.begin(library, batch: batch, wait: wait, by: describe()?.name ?? "-"),
            let rollout = try await table.rollout(id)
        else {
            let active = try await table.activeRollout()
            throw RolloutError(
                "rolloutUnderWay",
                "A rollout is under way: \(active.map { "\($0.module) \($0.version)" } ?? "of another module").",
                hint: "module rollouts; module rollout-abort ends it")
        }
        work()
        return rollout
    }

    package func rollout(_ id: Int) async throws -> Rollout? { try await table.rollout(id) }

    /// The hosts that a rollout waits for, and that have not told of themselves when they should.
    package func silent(in rollout: Rollout) async throws -> [SharedHost] {
        try await hosts { $0 > 12 }.filter { host in
            guard host.modules.contains(where: { $0.name == rollout.module }) else { return false }
            let state = rollout.hosts.first { $0.identity == host.identity }?.state
            return rollout.state == .returning ? state == .taking || state == .done : state != .done
        }
    }

    package func rollouts(limit: Int) async throws -> [Rollout] { try await table.rollouts(limit: limit) }

    /// Has the hosts of the rollout that is under way go back.
    package func abort() async throws -> Rollout {
        guard let rollout = try await table.activeRollout() else {
            throw RolloutError(.notFound, "No rollout is under way.", hint: "module rollouts")
        }
        try await table.turnBack(rollout, .aborted, "Ended by a person at host \(describe()?.name ?? "-").")
        work()
        return rollout
    }

    /// The hosts that have a module, in the order in which they joined.
    private func hosts(with name: String) async throws -> [SharedHost] {
        try await hostsAtWork().filter { host in host.modules.contains { $0.name == name } }
    }

    /// The hosts that have told of themselves lately: one that is stopped must not keep the others from going on.
    private func hostsAtWork() async throws -> [SharedHost] { try await hosts { $0 < 30 } }

    /// The connected hosts, by the seconds for which they have not told of themselves.
    private func hosts(where isWanted: (_ silence: Int64) -> Bool) async throws -> [SharedHost] {
        let hosts = try await connectedHosts()
        let newest = hosts.map(\.seen.microseconds).max() ?? 0
        return hosts.filter { isWanted(newest.subtractingClamped($0.seen.microseconds) / 1_000_000) }
    }

    // MARK: - Working

    /// Does what is to be done, and looks again as long as something changes meanwhile.
    package func work() {
        isOutdated = true
        guard !isWorking else { return }
        isWorking = true
        Task {
            while isOutdated {
                isOutdated = false
                // The next news, or the next report of this host, tries again.
                try? await step()
            }
            isWorking = false
        }
    }

    private func step() async throws {
        guard let rollout = try await table.activeRollout() else { return try await catchUp() }
        guard let me = describe() else { return }
        let hosts = try await hostsAtWork()
        let concerned = hosts.filter { host in host.modules.contains { $0.name == rollout.module } }
        let mine = rollout.hosts.first { $0.identity == me.identity }
        switch rollout.state {
        case .running where mine?.state != .done && mine?.state != .failed:
            if runtime.module(rollout.module) != nil {
                try await take(rollout, me, mine, order: concerned.map(\.identity))
            }
        case .returning where mine?.state == .taking || mine?.state == .done:
            try await goBack(rollout, me, mine)
        default: break
        }
        let awaited = rollout.state == .returning ? hosts : concerned
        try await table.endIfComplete(rollout, hosts: Set(awaited.map(\.identity)))
    }

    /// Takes the build when it is this host's turn, and watches it.
    private func take(
        _ rollout: Rollout, _ me: SharedHost, _ mine: Rollout.Member?, order: [String]
    ) async throws {
        guard let module = runtime.module(rollout.module) else { return }
        let library: SharedLibrary
        do {
            library = try await self.library(of: rollout)
        } catch let error as RolloutError {
            return try await fail(rollout, me, error, previous: mine?.previous)
        }
        if mine?.state == .taking, module.isOut {
            return try await fail(rollout, me, RolloutError.crashed(module), previous: mine?.previous)
        }
        let present = digest(of: module.name)
        if mine == nil, present == library.digest {
            return try await table.note(.done, of: me, in: rollout, detail: "had it already")
        }
        guard let previous = mine?.previous ?? present else { return }
        guard try await table.claim(rollout, for: me, previous: previous, taking: library, order: order)
        else {
            return
        }
        do {
            try await exchange(module, for: library)
            try await watch(rollout)
        } catch {
            if error.isPassing { throw error }
            return try await fail(rollout, me, error, previous: previous)
        }
        // It may be done without this host, if that was away in the middle.
        let state = try await table.rollout(rollout.id)?.state
        guard state == .running || state == .done else { return }
        try await table.note(.done, of: me, in: rollout)
    }

    /// The library for this host: a stored one, or else that of its repositories, which is stored for its like.
    private func library(of rollout: Rollout) async throws -> SharedLibrary {
        if let stored = try await table.library(of: rollout) { return stored }
        let own: SharedLibrary
        do {
            own = try await manager.libraryToRollOut(
                rollout.module, VersionRange(parsing: "=\(rollout.version)"))
        } catch {
            throw RolloutError.noLibrary(rollout, error)
        }
        try await table.store(own)
        return own
    }

    private func exchange(_ module: Module, for library: SharedLibrary) async throws {
        guard digest(of: module.name) != library.digest else { return }
        // So that this host can go back after a restart too.
        if module.current != nil { try await table.store(manager.presentLibrary(of: module)) }
        try await manager.take(library)
    }

    /// Checks the health for as long as the rollout says, or until it does not go on.
    private func watch(_ rollout: Rollout) async throws {
        let end = ContinuousClock.now + .seconds(rollout.wait)
        while true {
            try await checkHealth()
            let rest = end - .now
            guard rest > .zero, try await table.rollout(rollout.id)?.state == .running else { return }
            try await Task.sleep(for: min(rest, .milliseconds(500)))
        }
    }

    /// Goes back, and has all others do so.
    private func fail(
        _ rollout: Rollout, _ me: SharedHost, _ error: any Error, previous: String? = nil
    ) async throws {
        let reason = ModuleError.message(of: error)
        var detail = reason
        do {
            if let previous { try await restore(rollout.module, previous) }
        } catch {
            detail += " It could not go back: \(ModuleError.message(of: error))"
        }
        try await table.note(
            .failed, of: me, in: rollout, detail: detail, ends: "Host \(me.name): \(reason)")
    }

    /// Goes back to the build before, unless the module has another one since.
    private func goBack(_ rollout: Rollout, _ me: SharedHost, _ mine: Rollout.Member?) async throws {
        let present = digest(of: rollout.module)
        do {
            if let previous = mine?.previous, present == nil || present == mine?.taken {
                try await restore(rollout.module, previous)
            }
            try await table.note(.returned, of: me, in: rollout)
        } catch {
            if error.isPassing { throw error }
            try await table.note(
                .failed, of: me, in: rollout,
                detail: "It could not go back: \(ModuleError.message(of: error))")
        }
    }

    /// Returns to a build by its digest.
    private func restore(_ name: String, _ digest: String) async throws {
        guard let module = runtime.module(name), self.digest(of: name) != digest else { return }
        if module.previous?.digest == digest, module.current != nil {
            _ = try await manager.run(.rollback(name))
            return
        }
        guard let library = try await table.library(digest) else {
            throw RolloutError(.notFound, "The database does not have the former build of '\(name)'.")
        }
        try await manager.take(library)
    }

    // MARK: - After a time away

    /// Takes what was rolled out while this host was away, and leaves what was taken back.
    private func catchUp() async throws {
        guard let me = describe() else { return }
        // The modules of which a newer rollout counts.
        var seen: Set<String> = []
        let ended = try await table.rollouts(after: settled)
        for rollout in ended where !rollout.state.isActive {
            guard let module = runtime.module(rollout.module) else { continue }
            let mine = rollout.hosts.first { $0.identity == me.identity }
            if rollout.state != .done {
                guard mine?.state == .taking || mine?.state == .done else { continue }
                if seen.contains(rollout.module) {
                    try await table.note(.returned, of: me, in: rollout, detail: "has a newer one")
                } else {
                    try await goBack(rollout, me, mine)
                }
            } else if seen.insert(rollout.module).inserted, mine?.state != .done {
                // A newer build that this host has of its own stays.
                if mine == nil, module.version > rollout.version { continue }
                try await catchUp(rollout, me, mine, module)
            }
        }
        settled = ended.first { !$0.state.isActive }?.id ?? settled
    }

    private func catchUp(
        _ rollout: Rollout, _ me: SharedHost, _ mine: Rollout.Member?, _ module: Module
    ) async throws {
        let previous = mine?.previous ?? digest(of: rollout.module)
        do {
            if mine?.state == .taking, module.isOut { throw RolloutError.crashed(module) }
            try await exchange(module, for: library(of: rollout))
            try await checkHealth()
            try await table.note(.done, of: me, in: rollout, detail: "was away")
        } catch {
            if error.isPassing { throw error }
            if let previous { try? await restore(rollout.module, previous) }
            try await table.note(
                .failed, of: me, in: rollout, detail: "was away: \(ModuleError.message(of: error))")
        }
    }
}

extension Module {
    /// Whether it does not work since the host was started again.
    fileprivate var isOut: Bool {
        switch state {
        case .failed, .quarantined: true
        default: false
        }
    }
}

extension Error {
    /// Whether it says nothing of the build: the next attempt may succeed.
    fileprivate var isPassing: Bool {
        let codes: [ErrorCode] = [
            .databaseUnreachable, .databaseConflict, .databaseLocked, .databaseOutcomeUnknown,
        ]
        return (self as? DatabaseError).map { codes.contains($0.code) } == true
    }
}

extension RolloutError {
    @MainActor fileprivate static func crashed(_ module: Module) -> RolloutError {
        RolloutError(
            "moduleFailed",
            "Module '\(module.name)' is \(module.state.name) since the host was started again"
                + "\(module.state.reason.map { ": \($0)" } ?? ".")")
    }
}
