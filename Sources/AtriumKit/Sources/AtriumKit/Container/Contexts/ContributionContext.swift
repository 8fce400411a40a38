/// What the factory of a contribution can reach: repositories, use cases and the session to read.
///
/// Cannot be stored or captured.
@MainActor
@frozen public struct ContributionContext: ~Copyable {
    @usableFromInline let core: ContextCore

    @inlinable init(_ core: ContextCore) {
        self.core = core
    }

    /// The repository registered as `type`.
    @inlinable @inline(__always) public func repository<Repository>(
        _ type: Repository.Type = Repository.self
    ) throws -> Repository {
        try core.resolve(type, RepositoryContext.self)
    }

    /// The use case registered as `type`.
    @inlinable @inline(__always) public func useCase<UseCase>(_ type: UseCase.Type = UseCase.self) throws
        -> UseCase
    {
        try core.resolve(type, UseCaseContext.self)
    }

    /// The session, to read.
    public var session: SessionState { SessionState(core.container.session) }
    public var logger: Logger { core.infrastructure.logger }
}

extension ContributionContext {
    /// The repository registered as `type` under `name`.
    public func repository<Repository>(_ type: Repository.Type = Repository.self, named name: String) throws
        -> Repository
    {
        try core.resolve(type, named: name, RepositoryContext.self)
    }

    /// The repository registered as `type`, awaited where its factory has to be.
    public func repository<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) async throws -> Repository {
        try await core.resolveAsynchronously(type, named: name, RepositoryContext.self)
    }

    /// Gives the repository later, or repeatedly.
    public func repositoryProvider<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) -> Provider<Repository> {
        Provider(type, named: name, RepositoryContext.self, core)
    }

    /// The use case registered as `type` under `name`.
    public func useCase<UseCase>(_ type: UseCase.Type = UseCase.self, named name: String) throws -> UseCase {
        try core.resolve(type, named: name, UseCaseContext.self)
    }

    /// The use case registered as `type`, awaited where its factory has to be.
    public func useCase<UseCase>(
        _ type: UseCase.Type = UseCase.self, named name: String? = nil
    ) async throws -> UseCase {
        try await core.resolveAsynchronously(type, named: name, UseCaseContext.self)
    }

    /// Gives the use case later, or repeatedly.
    public func useCaseProvider<UseCase>(
        _ type: UseCase.Type = UseCase.self, named name: String? = nil
    ) -> Provider<UseCase> {
        Provider(type, named: name, UseCaseContext.self, core)
    }
}

extension ContributionContext: LayerContext {
    @inlinable nonisolated static var tag: UInt { 7 }
    @usableFromInline nonisolated static var layer: Layer { .contribution }
}
