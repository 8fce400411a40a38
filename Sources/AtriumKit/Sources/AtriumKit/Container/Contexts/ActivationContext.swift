/// What a module can reach while it is activated: its repositories, and the session to read.
///
/// Cannot be stored or captured.
@MainActor
public struct ActivationContext: ~Copyable {
    private let request: Request

    @_spi(Host) public init(_ container: Container, for scope: ModuleScope) {
        request = Request(container: container, scope: scope)
    }

    /// The repository registered as `type`, awaited where its factory has to be.
    public func repository<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) async throws -> Repository {
        try await request.core.resolveAsynchronously(type, named: name, RepositoryContext.self)
    }

    /// Gives the repository later, or repeatedly.
    public func repositoryProvider<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) -> Provider<Repository> {
        Provider(type, named: name, RepositoryContext.self, request.core)
    }

    /// The session, to read.
    public var session: SessionState { SessionState(request.container.session) }
    public var logger: Logger { request.core.infrastructure.logger }
    public var clock: any WallClock { request.core.infrastructure.clock }
    /// What `modules.json` configures for this module.
    public var configuration: Configuration { request.core.infrastructure.configuration }
    /// The path of the folder for the module's own files, which no other module has; made when first asked for.
    public var dataFolder: String { get throws { try request.core.infrastructure.makeDataFolder() } }

    /// Runs something in the background until the module stops.
    ///
    /// The host counts it for this generation, cancels it when the generation stops, and names it where it
    /// does not heed that.
    ///
    /// - Parameters:
    ///   - name: What it does, in a word or two.
    ///   - operation: What is run; ends soon after it is cancelled.
    public func run(_ name: String, _ operation: @escaping @MainActor () async -> Void) {
        request.scope?.tasks.run(name, operation)
    }
}
