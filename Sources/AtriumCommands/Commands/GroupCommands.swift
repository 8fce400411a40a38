internal import AtriumHosts
internal import AtriumKit
internal import AtriumText
internal import AtriumViews

/// The commands about the hosts on the same database.
extension HostCommands {
    @ActionsBuilder var group: [Action] {
        Action("hosts", "List the hosts that use the same database", effect: .reads) {
            let group = try await theGroup()
            let hosts = try await group.hosts()
            return .content(GroupViews.hosts(hosts, refusal: group.refusal))
        }
    }

    func theGroup() async throws -> HostGroup {
        guard let group = host.group else {
            throw host.environment == .local
                ? ShellError(
                    "noDatabaseServer", "The data of this host are in files, which no other host uses.",
                    hint: "atrium --database postgresql://HOST/NAME")
                : ShellError(
                    "noDatabaseServer",
                    "Hosts share a database in environment local; this is \(host.environment.rawValue).",
                    hint: "atrium --env local --database postgresql://HOST/NAME")
        }
        return try await group()
    }
}

enum GroupViews {
    static func hosts(_ hosts: [SharedHost], refusal: (any ExplainedError)? = nil) -> Content {
        Content {
            if let refusal {
                let problem = [refusal.message, refusal.hint ?? ""].joined(separator: " ")
                Notice(.warning, "This host and recent states are missing: \(problem)")
            }
            Table(hosts) {
                Column("name") { $0.name }
                Column("process") { $0.process }
                Column("machine") { $0.machine }
                Column("version") { $0.version }
                Column("modules") { modules($0.modules) }
                Column("scenes") { $0.scenes }
                Column("since") { $0.since }
                Column("seen", label: "Last seen") { $0.seen }
                Column("present", label: "Here") { $0.isPresent }
            }
            ClosingLine.total(hosts.count, "host")
        }
    }

    /// `Entities 1.1.0 (2)` for the second generation; for programs an object each.
    private static func modules(_ modules: [SharedHost.Module]) -> Worded {
        let words = modules.map { module in
            let generation = module.generation > 1 ? " (\(module.generation))" : ""
            return "\(module.name) \(module.version)\(generation)"
        }
        return Worded(
            words.joined(separator: ", "),
            .array(
                modules.map { module in
                    .object([
                        "name": .string(module.name), "version": .string(module.version),
                        "generation": .integer(Int64(module.generation)),
                    ])
                }))
    }
}
