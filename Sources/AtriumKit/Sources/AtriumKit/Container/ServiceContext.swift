/// What the factory of a service can reach: infrastructure, and nothing above it.
///
/// Cannot be stored or captured.
@MainActor
public struct ServiceContext: ~Copyable {
    private let scope: ModuleScope

    init(_ scope: ModuleScope) {
        self.scope = scope
    }

    /// The module's own database; opens when it is first used.
    public var database: any Database { scope.infrastructure.database }
    public var clock: any WallClock { scope.infrastructure.clock }
    public var logger: Logger { scope.infrastructure.logger }
    /// What `modules.json` configures for this module.
    public var configuration: Configuration { scope.infrastructure.configuration }
}
