/// What the factory of a service can reach: infrastructure, and nothing above it.
///
/// Cannot be stored or captured.
@MainActor
@frozen public struct ServiceContext: ~Copyable {
    @usableFromInline let core: ContextCore

    @inlinable init(_ core: ContextCore) {
        self.core = core
    }

    /// The module's own database; opens when it is first used.
    public var database: any Database { core.infrastructure.database }
    /// The server's API, in environment live.
    public var api: any APIClient { core.infrastructure.api }
    public var clock: any WallClock { core.infrastructure.clock }
    public var logger: Logger { core.infrastructure.logger }
    /// What `modules.json` configures for this module.
    public var configuration: Configuration { core.infrastructure.configuration }
    /// The path of the folder for the module's own files, which no other module has; made when first asked for.
    public var dataFolder: String { get throws { try core.infrastructure.makeDataFolder() } }

    /// What the mock of `service` does; people choose it by that name at the prompt.
    public func mock<Service>(_ service: Service.Type) -> MockBehavior {
        core.infrastructure.mocks.behavior(
            of: RegistrationKey.name(of: service), in: core.module,
            scenario: MockScenario(core.infrastructure.configuration))
    }
}

extension ServiceContext: LayerContext {
    @inlinable nonisolated static var tag: UInt { 1 }
    @usableFromInline nonisolated static var layer: Layer { .service }
}
