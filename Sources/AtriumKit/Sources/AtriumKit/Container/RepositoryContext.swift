/// What the factory of a repository can reach: services, and the session to write after success.
///
/// Cannot be stored or captured.
@MainActor
public struct RepositoryContext: ~Copyable {
    private let container: Container
    private let scope: ModuleScope

    init(_ container: Container, _ scope: ModuleScope) {
        self.container = container
        self.scope = scope
    }

    /// The service registered as `type`.
    public func service<Service>(_ type: Service.Type = Service.self) throws -> Service {
        try container.resolve(type, .service)
    }

    /// The session, to read and to write.
    public var session: SessionWriter { SessionWriter(.shared) }
    public var analytics: any Analytics { scope.infrastructure.analytics }
    public var logger: Logger { scope.infrastructure.logger }
    public var clock: any WallClock { scope.infrastructure.clock }
}
