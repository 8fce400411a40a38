/// What the factory of infrastructure can reach: what the host gives every module, and nothing above it.
///
/// Cannot be stored or captured.
@MainActor
@frozen public struct InfrastructureContext: ~Copyable {
    @usableFromInline let core: ContextCore

    @inlinable init(_ core: ContextCore) {
        self.core = core
    }

    public var clock: any WallClock { core.infrastructure.clock }
    public var logger: Logger { core.infrastructure.logger }
    /// What `modules.json` configures for this module.
    public var configuration: Configuration { core.infrastructure.configuration }
    /// The path of the folder for the module's own files, which no other module has; made when first asked for.
    public var dataFolder: String { get throws { try core.infrastructure.makeDataFolder() } }
}

extension InfrastructureContext: LayerContext {
    @inlinable nonisolated static var tag: UInt { 0 }
    @usableFromInline nonisolated static var layer: Layer { .infrastructure }
}
