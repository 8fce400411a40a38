@_spi(Host) internal import AtriumKit
internal import AtriumModules
internal import AtriumText

extension HostCommands {
    @ActionsBuilder var seeds: [Action] {
        Action(
            "seed", "Add the data that modules declare under a name, or list the names", effect: .changes,
            Argument<String?>("name", "The seed")
        ) { name in
            let seeds = try await host.runtime.seeds()
            guard let name else { return .content(Self.list(seeds)) }
            guard let seed = seeds.first(where: { $0.name == name }) else {
                throw ShellError.unknown(
                    .notFound, name, among: seeds.map(\.name), else: "'seed' lists the seeds."
                ) { "No active module has a seed '\($0)'." }
            }
            try await host.runtime.addSeed(name)
            return .content(Self.list([seed]), "Added the data of seed '\(name)'.")
        }
    }

    private static func list(_ seeds: [(name: String, modules: [String])]) -> Content {
        Content {
            if seeds.isEmpty { Notice(.information, "No active module has a seed.") }
            Table(seeds) {
                Column("name") { $0.name }
                Column("modules") { $0.modules.joined(separator: ", ") }
            }
        }
    }
}
