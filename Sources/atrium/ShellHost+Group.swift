import AtriumCommands
import AtriumHosts
import AtriumManifest
import AtriumModules
internal import AtriumPrompt
import AtriumStorage
import AtriumText
import Glibc

extension ShellHost {
    /// Connects the host with the others on its database.
    func join(_ server: DatabaseServer, of host: Host) {
        let (setup, folder) = (host.setup, host.setup.data.path)
        server.makeGroup = {
            [weak self, changes, feed = host.site.feed, record = setup.data.path("rollouts.json")]
            table, membership in
            HostGroup(
                table, membership, changes, feed: feed, record: RolloutRecord(path: record),
                describe: { [identity = server.identity] in self?.description(of: folder, identity) },
                checkHealth: { [unowned server] in
                    // A lost connection says nothing about a build.
                    if let loss = server.loss { throw loss }
                    try await self?.checkHealth()
                })
        }
        server.announce = { [weak self] in self?.announce($0) }
        willPerform = { [unowned server] in server.dropCachesIfLost() }
        feedLoss = { [unowned server] in server.loss }
        databaseUsage = { [unowned server] in server.usage() }
        group = { try await server.group() }
        // A script joins on its first use of data.
        if setup.options.isInteractive || setup.options.mode == .serve || setup.options.mode == .mcp {
            Task { _ = try? await server.group() }
        }
    }

    /// This host as other hosts on the database see it.
    private func description(of folder: String, _ identity: String) -> SharedHost {
        SharedHost(
            identity: identity, name: SharedHost.name(of: folder),
            process: Int(getpid()), machine: SharedHost.currentMachine, version: HostVersion.current,
            modules: runtime.modules.compactMap { module in
                module.current.map {
                    SharedHost.Module(
                        name: module.name, version: $0.version.description, generation: $0.number)
                }
            },
            scenes: scenes.count)
    }
}
