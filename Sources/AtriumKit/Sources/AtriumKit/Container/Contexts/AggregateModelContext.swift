/// The context of an aggregate model factory; can't be stored or captured.
@MainActor
@frozen public struct AggregateModelContext: ~Copyable {
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

    /// A provider of the repository, for later or repeated use.
    public func repositoryProvider<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) -> Provider<Repository> {
        Provider(type, named: name, RepositoryContext.self, core)
    }

    /// A new use case of type `type`, made from the arguments.
    public func useCase<UseCase, First, each Argument>(
        _ type: UseCase.Type = UseCase.self, _ first: First, _ argument: repeat each Argument
    ) throws -> UseCase {
        try core.resolve(type, named: nil, UseCaseContext.self, first, repeat each argument)
    }

    /// The contributions of all modules to `point`, in order.
    public func contributions<Element>(to point: ContributionPoint<Element>) throws -> [Contribution<Element>]
    {
        try core.container.contributions(to: point, for: core.requester)
    }
}

extension AggregateModelContext: LayerContext {
    @inlinable nonisolated static var tag: UInt { 4 }
}
