import AtriumKit

/// Provides an HTTP transport, for the requests of all modules.
final class __NAME__Module: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.infrastructure((any HTTPTransport).self) { context in
            let folder = try context.configuration.string("folder")?.nilIfEmpty ?? context.dataFolder
            guard FileTransport.isFolder(folder) else {
                throw TransportError(
                    "badConfiguration", "__NAME__ has no answers: '\(folder)' is not a folder.",
                    hint: "Correct \"folder\" of module __NAME__ in modules.json, or remove it.")
            }
            context.logger.info("Answers are read from '\(folder)'.")
            return FileTransport(folder: folder)
        }
    }
}
