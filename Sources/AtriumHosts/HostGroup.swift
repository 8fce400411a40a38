@_spi(Host) package import AtriumKit
package import AtriumModules

/// The hosts that use one database, as seen from this one.
///
/// Publishes a heartbeat when this host joins, when its modules change, and every ten seconds.
@MainActor
package final class HostGroup {
    private let table: HostTable
    private let membership: any DatabaseMembership
    /// Describes this host's present state; nil once it is exiting.
    private let describe: @MainActor () -> SharedHost?
    /// The number of its connection; nil if it is not connected.
    private var member: Int?
    /// The reason why it is not connected; nil while it is, and before the server's first answer.
    private var failure: (any Error)?
    /// The events that are not yet in the table.
    private var untold: [JournalEvent]
    /// This host's part in rollouts.
    package private(set) lazy var rollouts = RolloutWorker(
        table, manager, record: record, describe: describe,
        connectedHosts: { [weak self] in try await self?.hosts() ?? [] },
        checkHealth: checkHealth)
    private let manager: ModuleManager
    private let record: RolloutRecord
    private let checkHealth: @MainActor () async throws -> Void
    private var reports: Task<Void, Never>?
    private var reporting: Task<Void, Never>?
    /// The failure of the last report.
    private var problem: (any Error)?
    private var isOutdated = false

    package init(
        _ table: HostTable, _ membership: any DatabaseMembership, _ manager: ModuleManager, feed: ChangeFeed,
        record: RolloutRecord, describe: @escaping @MainActor () -> SharedHost?,
        checkHealth: @escaping @MainActor () async throws -> Void
    ) {
        let journal = manager.runtime.journal
        self.table = table
        self.membership = membership
        self.manager = manager
        self.record = record
        self.checkHealth = checkHealth
        self.describe = describe
        untold = journal.ofThisProcess
        journal.didAppend = { [weak self] in self?.note($0) }
        feed.changes(of: HostTable.rolloutTopic).add(self) { group, _ in group.rollouts.work() }
    }

    isolated deinit { reports?.cancel() }

    package func joined(as member: Int) {
        (self.member, failure) = (member, nil)
        reports?.cancel()
        reports = Task { [weak self] in
            try? await self?.join(as: member)
            for report in 0... {
                if Task.isCancelled { return }
                if report.isMultiple(of: Self.trimPeriod) { try? await self?.table.trim() }
                await self?.report()
                self?.rollouts.work()
                try? await Task.sleep(for: Self.period)
            }
        }
    }

    package func lost(_ error: any Error) {
        (member, failure) = (nil, error)
        reports?.cancel()
    }

    private func join(as member: Int) async throws {
        guard let host = describe() else { return }
        try await table.join(host, as: member, membership)
    }

    /// Stores this host's present state and its events, soon.
    package func modulesDidChange() { Task { await report() } }

    private func note(_ events: [JournalEvent]) {
        untold = (untold + events).suffix(1_000)
        modulesDidChange()
    }

    /// Stores this host's present state, and waits for completion.
    private func report() async {
        isOutdated = true
        if let reporting { return await reporting.value }
        let task = Task { await self.write() }
        reporting = task
        await task.value
        reporting = nil
    }

    private func write() async {
        while isOutdated, let member {
            isOutdated = false
            guard let host = describe() else { return }
            let events = untold
            do {
                try await table.write(host, as: member)
                if !events.isEmpty {
                    try await table.append(events, of: host.name)
                    untold.removeFirst(min(events.count, untold.count))
                }
                problem = nil
            } catch {
                // The next report tries again.
                problem = error
                return
            }
        }
    }

    private static let period = Duration.seconds(10)
    /// The reports after which a host removes what is old in the tables: an hour.
    private static let trimPeriod = 360

    // MARK: - For commands

    /// The hosts that are connected now.
    package func hosts() async throws -> [SharedHost] {
        try await waitUntilJoined()
        await report()
        let hosts = try await table.hosts(among: membership.members(), present: member)
        if let problem, !hosts.contains(where: \.isPresent), refusal == nil { throw problem }
        return hosts
    }

    /// The reason why the database takes no changes from this host, so that the list of hosts lacks it, if so.
    package var refusal: DatabaseError? {
        (problem as? DatabaseError).flatMap { $0.code == .databaseUnwritable ? $0 : nil }
    }

    /// The newest events of all hosts, oldest first.
    package func events(of module: String?, limit: Int) async throws -> [SharedEvent] {
        try await waitUntilJoined()
        await report()
        return try await table.events(of: module, limit: limit)
    }

    /// Waits for the connection: a command may come before the server has answered, or during a reconnect.
    private func waitUntilJoined() async throws {
        let end = ContinuousClock.now + .seconds(2)
        while member == nil {
            if let failure, .now > end { throw failure }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
