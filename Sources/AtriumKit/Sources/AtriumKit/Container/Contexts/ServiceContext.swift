/// The context of a service factory; can't be stored or captured.
@MainActor
@frozen public struct ServiceContext: ~Copyable {
    @usableFromInline let core: ContextCore

    @inlinable init(_ core: ContextCore) {
        self.core = core
    }

    /// The module's own database; opens when it is first used.
    public var database: any Database {
        let infrastructure = core.infrastructure
        return infrastructure.calls == nil
            ? infrastructure.database : TappedDatabase(database: infrastructure.database)
    }
    /// The server's API, in environment live; `"api"` in `modules.json` sets its URL and conventions.
    public var api: any APIClient { core.infrastructure.api }
    /// The time of day; use it instead of the system's clock, so that tests can control it.
    public var clock: any WallClock { core.infrastructure.clock }
    /// Ids for new things; use these, not random ones, so that `--clock` gives the same ids in each run.
    public var ids: IDSource { core.infrastructure.ids }
    /// The log, under the module's name.
    public var logger: Logger { core.infrastructure.logger }
    /// The module's configuration from `modules.json`.
    public var configuration: Configuration { core.infrastructure.configuration }
    /// The path of the folder for the module's own files; created on first use.
    public var dataFolder: String { get throws { try core.infrastructure.makeDataFolder() } }

    /// Another API, in environment live; `"apis": { "billing": { "url": … } }` in `modules.json` sets its
    /// URL.
    ///
    /// It has its own sign-in, cache and limits: no token of another API is sent to it. Modules that name the
    /// same API share them, and state the same conventions, which `modules.json` may override. Without a URL
    /// there, every request fails with code `noServer`.
    public func api(_ name: String, _ conventions: APIConventions = APIConventions()) -> any APIClient {
        core.infrastructure.namedAPI(name, conventions)
    }

    /// The behavior of the mock of `service`; users change it by that name at the prompt.
    public func mock<Service>(_ service: Service.Type) -> MockBehavior {
        core.infrastructure.mocks.behavior(
            of: RegistrationKey.name(of: service), in: core.module,
            scenario: MockScenario(core.infrastructure.configuration))
    }
}

extension ServiceContext: LayerContext {
    @inlinable nonisolated static var tag: UInt { 1 }
}

/// The context of an infrastructure factory; can't be stored or captured.
@MainActor
@frozen public struct InfrastructureContext: ~Copyable {
    @usableFromInline let core: ContextCore

    @inlinable init(_ core: ContextCore) {
        self.core = core
    }

    /// The time of day; use it instead of the system's clock, so that tests can control it.
    public var clock: any WallClock { core.infrastructure.clock }
    /// The log, under the module's name.
    public var logger: Logger { core.infrastructure.logger }
    /// The module's configuration from `modules.json`.
    public var configuration: Configuration { core.infrastructure.configuration }
    /// The path of the folder for the module's own files; created on first use.
    public var dataFolder: String { get throws { try core.infrastructure.makeDataFolder() } }
}

extension InfrastructureContext: LayerContext {
    @inlinable nonisolated static var tag: UInt { 0 }
}
