import AtriumHosts
@_spi(Host) import AtriumKit
internal import AtriumLibraries
import AtriumModules
import AtriumStorage
import Glibc
import Synchronization

/// The server that stores the data of environment local, and the engine for it, which a module provides.
final class DatabaseServer: Sendable {
    /// The URL with a name for the connections: `atrium`, the host's name and its process.
    private let address: String
    private let engineModule: String
    private let runtime: @MainActor () -> ModuleRuntime?
    private let feed: ChangeFeed
    /// The name of this host for others on the database.
    let identity: String
    /// Makes the group with the other hosts; modules may use their data before it is set.
    @MainActor var makeGroup: (@MainActor (HostTable, any DatabaseMembership) -> HostGroup)? {
        didSet { makePresent() }
    }
    @MainActor private var joined: (table: HostTable, membership: any DatabaseMembership)?
    @MainActor private var present: HostGroup?
    /// Last connection state, for groups created later.
    @MainActor private var connection: MembershipEvent?
    /// Prints that this host no longer hears of changes by others, and that it does again.
    @MainActor var announce: ((String) -> Void)?
    /// Why this host does not hear of changes by others; nil if it does, or has not asked yet.
    @MainActor private(set) var loss: (any Error)?
    /// The usage of the server; nil before the first use of data.
    @MainActor private(set) var usage: () -> DatabaseUsage? = { nil }
    @MainActor private var lossWatch: Task<Void, Never>?
    @MainActor private var isLossAnnounced = false

    /// Creates it for the host with a data folder.
    ///
    /// - Throws: `StorageError` or `FileError` if the identity can't be read or stored.
    @MainActor init(
        _ url: DatabaseURL, _ runtime: ModuleRuntime, _ feed: ChangeFeed, in folder: String
    ) throws {
        identity = try SharedHost.identity(of: folder, on: SharedHost.currentMachine)
        let name = SharedHost.name(of: folder)
        address = url.text(naming: "atrium \(name) \(getpid())")
        engineModule = url.engine
        self.runtime = { [weak runtime] in runtime }
        self.feed = feed
    }

    /// The tables of a module; the engine is loaded on first use.
    func database(of module: String, _ migrations: [Migration]) -> ServerDatabase {
        ServerDatabase(isEngineLoaded: { await self.isEngineLoaded }) {
            try await self.engine().database(of: module, migrations: migrations, at: self.address)
        }
    }

    @MainActor private var isEngineLoaded: Bool {
        runtime()?.modules.contains { $0.name == engineModule && $0.state.isActive } == true
    }

    /// The engine; on first use the host joins the others on the database.
    @MainActor private func engine() async throws -> any DatabaseEngine {
        guard let runtime = runtime() else { throw CancellationError() }
        let engine = try await runtime.infrastructure((any DatabaseEngine).self)
        if joined == nil {
            let table = try engine.database(
                of: HostTable.owner, migrations: HostTable.migrations, at: address)
            joined = (HostTable(table), engine.join(at: address) { [weak self] in self?.hear($0) })
            usage = { [address] in engine.usage(at: address) }
            makePresent()
        }
        return engine
    }

    @MainActor private func makePresent() {
        guard present == nil, let makeGroup, let joined else { return }
        present = makeGroup(joined.table, joined.membership)
        if let connection { tell(connection) }
    }

    private func hear(_ event: MembershipEvent) {
        switch event {
        case .changed(let announcements, let isOwn): return feed.send(announcements, isOwn: isOwn)
        case .joined: feed.send([.everything], isOwn: false)
        case .lost: break
        @unknown default: break
        }
        Task { @MainActor in tell(event) }
    }

    @MainActor private func tell(_ event: MembershipEvent) {
        switch event {
        case .joined(let member):
            found()
            present?.joined(as: member)
        case .lost(let error):
            lost(error)
            present?.lost(error)
        case .changed: return
        @unknown default: return
        }
        connection = event
    }

    // MARK: - While the connection is lost

    /// Drops all caches while the connection is lost: others may have changed what is in them.
    @MainActor func dropCachesIfLost() {
        if loss != nil { feed.dropEverything() }
    }

    @MainActor private func lost(_ error: any Error) {
        loss = error
        guard lossWatch == nil else { return }
        lossWatch = Task { [weak self] in
            // Nothing reports changes now, so refresh what is shown from time to time.
            for second in 0... {
                self?.dropCachesIfLost()
                if second == Self.warningDelay { self?.announceLoss() }
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
            }
        }
    }

    /// Seconds before the warning; a server that is restarting is back by then.
    private static let warningDelay = 3

    @MainActor private func announceLoss() {
        guard let loss, let announce, !isLossAnnounced else { return }
        isLossAnnounced = true
        let reason = (loss as? any ExplainedError)?.message ?? "the connection was lost."
        announce(
            "warning: This host receives no changes from other hosts, so it does not use its caches: "
                + reason)
    }

    @MainActor private func found() {
        loss = nil
        lossWatch?.cancel()
        lossWatch = nil
        guard isLossAnnounced else { return }
        isLossAnnounced = false
        announce?("This host receives changes from other hosts again.")
    }

    @MainActor func group() async throws -> HostGroup {
        if present == nil { _ = try await engine() }
        guard let present else { throw CancellationError() }
        return present
    }

    @MainActor func modulesDidChange() { present?.modulesDidChange() }

    @MainActor func leave() async {
        lossWatch?.cancel()
        await joined?.membership.leave()
    }
}
