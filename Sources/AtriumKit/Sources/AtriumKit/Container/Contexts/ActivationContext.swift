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
}
