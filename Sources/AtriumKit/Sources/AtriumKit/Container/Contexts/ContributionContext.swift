/// The context of a contribution factory; can't be stored or captured.
@MainActor
@frozen public struct ContributionContext: ~Copyable {
    @usableFromInline let core: ContextCore

    @inlinable init(_ core: ContextCore) {
        self.core = core
    }

    /// The repository registered as `type`.
    @inlinable @inline(__always) public func repository<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) throws -> Repository {
        try core.resolve(type, named: name, RepositoryContext.self)
    }

    /// The repository registered as `type`; nil while no module registers it.
    ///
    /// For modules in `"uses"` of the manifest: what was built with it is built again when it comes, changes or
    /// goes.
    public func repositoryIfPresent<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) throws -> Repository? {
        try core.resolveIfPresent(type, named: name, RepositoryContext.self)
    }

    /// The use case registered as `type`.
    @inlinable @inline(__always) public func useCase<UseCase>(
        _ type: UseCase.Type = UseCase.self, named name: String? = nil
    ) throws -> UseCase {
        try core.resolve(type, named: name, UseCaseContext.self)
    }

    /// The use case registered as `type`; nil while no module registers it.
    ///
    /// For modules in `"uses"` of the manifest: what was built with it is built again when it comes, changes or
    /// goes.
    public func useCaseIfPresent<UseCase>(
        _ type: UseCase.Type = UseCase.self, named name: String? = nil
    ) throws -> UseCase? {
        try core.resolveIfPresent(type, named: name, UseCaseContext.self)
    }

    /// The session, read-only.
    public var session: SessionState { SessionState(core.session) }
    /// The log, under the module's name.
    public var logger: Logger { core.infrastructure.logger }

    /// A provider of the repository, for later or repeated use.
    public func repositoryProvider<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) -> Provider<Repository> {
        Provider(type, named: name, RepositoryContext.self, core)
    }
}

extension ContributionContext: LayerContext {
    @inlinable nonisolated static var tag: UInt { 7 }
}
