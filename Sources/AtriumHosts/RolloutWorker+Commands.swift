@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
package import AtriumManifest
internal import AtriumModules
internal import AtriumRepositories

/// The rollout commands.
extension RolloutWorker {
    /// Returns the version that a rollout would take, and its hosts.
    package func plan(
        _ name: String, _ range: VersionRange
    ) async throws -> (version: SemanticVersion, hosts: [SharedHost]) {
        let library = try await manager.libraryToRollOut(name, range)
        return (library.version, try await hosts(with: name))
    }

    /// Signs an order, stores it with the library and begins its rollout.
    ///
    /// - Throws: ``RolloutError`` if one is running, or this host does not trust the key.
    package func begin(
        _ name: String, _ range: VersionRange, _ wishes: RolloutWishes
    ) async throws -> Rollout {
        let library = try await manager.libraryToRollOut(name, range)
        let key = try secretKey(wishes.key, for: name)
        let order = try await order(library, wishes)
        try await table.store(library)
        let signed = try order.signed(by: key, now: clock.now())
        let me = describe()?.name ?? "-"
        guard let id = try await table.begin(order, signed, digest: library.digest, by: me),
            let rollout = try await table.rollout(id)
        else {
            let active = try await table.activeRollout()
            throw RolloutError(
                "rolloutUnderWay",
                "A rollout is under way: \(active.map { "\($0.module) \($0.version)" } ?? "of another module").",
                hint: "module rollout; module rollout --abort ends it")
        }
        work()
        return rollout
    }

    private func secretKey(_ file: String?, for name: String) throws -> MinisignSecretKey {
        guard let file else {
            throw RolloutError(
                "rolloutUnsigned", "A rollout must be signed, but no key was given.",
                hint: "module rollout \(name) --key FILE")
        }
        let key = try MinisignSecretKey(at: FileSystem.absolute(file))
        let trusted = runtime.reader.trust?.keys ?? []
        guard trusted.contains(key.publicKey) else {
            throw RolloutError(
                "keyInvalid",
                "The key '\(file)' has ID \(key.publicKey.id), which modules.json does not trust.",
                hint:
                    "Use the key by which libraries are signed, or add \(key.publicKey.description) to \"keys\"."
            )
        }
        return key
    }

    /// The order for the connected hosts; newer builds stay unless this host goes to an older one too.
    private func order(_ library: SharedLibrary, _ wishes: RolloutWishes) async throws -> RolloutOrder {
        let hosts = try await hosts(with: library.module)
        let isReturn = runtime.module(library.module).map { $0.version > library.version } == true
        let versions = hosts.compactMap { host in
            host.modules.first { $0.name == library.module }
                .flatMap { try? SemanticVersion(parsing: $0.version) }
        }
        return RolloutOrder(
            id: IDSource.random.next(), module: library.module,
            from: Set(versions).filter { isReturn || $0 <= library.version }.sorted(),
            version: library.version, libraries: [RolloutOrder.Library(library)],
            database: try await table.identity(),
            hosts: hosts.map { RolloutOrder.Host(identity: $0.identity, name: $0.name) },
            batch: wishes.batch, wait: wishes.wait, skipsUnreachable: wishes.skipsUnreachable,
            until: clock.now().adding(seconds: wishes.days * 86_400))
    }

    package func rollout(_ id: Int) async throws -> Rollout? { try await table.rollout(id) }

    /// The hosts that a rollout waits for and whose heartbeat is overdue.
    package func silent(in rollout: Rollout) async throws -> [SharedHost] {
        try await hosts { $0 > 12 }.filter { host in
            guard host.modules.contains(where: { $0.name == rollout.module }) else { return false }
            let state = rollout.hosts.first { $0.identity == host.identity }?.state
            return rollout.state == .returning ? state == .taking || state == .done : state != .done
        }
    }

    package func rollouts(limit: Int) async throws -> [Rollout] { try await table.rollouts(limit: limit) }

    /// Makes the hosts of the running rollout go back.
    package func abort() async throws -> Rollout {
        guard let rollout = try await table.activeRollout() else {
            throw RolloutError(.notFound, "No rollout is under way.", hint: "module rollout")
        }
        try await table.turnBack(rollout, .aborted, "Ended by a user at host \(describe()?.name ?? "-").")
        work()
        return rollout
    }
}
