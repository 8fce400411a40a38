/// The context of a view model factory; can't be stored or captured.
@MainActor
@frozen public struct ViewModelContext: ~Copyable {
    @usableFromInline let core: ContextCore

    @inlinable init(_ core: ContextCore) {
        self.core = core
    }

    /// The aggregate model registered as `type`.
    @inlinable @inline(__always) public func aggregateModel<Model>(
        _ type: Model.Type = Model.self, named name: String? = nil
    ) throws -> Model {
        try core.resolve(type, named: name, AggregateModelContext.self)
    }

    /// The aggregate model registered as `type`; nil while no module registers it.
    ///
    /// For modules in `"uses"` of the manifest: what was built with it is built again when it comes, changes or
    /// goes.
    public func aggregateModelIfPresent<Model>(
        _ type: Model.Type = Model.self, named name: String? = nil
    ) throws -> Model? {
        try core.resolveIfPresent(type, named: name, AggregateModelContext.self)
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

    /// The navigator of the view model's stack entry.
    public var navigator: any Navigator { core.navigator }

    /// The tasks of the stack entry; they are cancelled when it is left.
    public var tasks: OwnedTasks { core.entry?.tasks ?? OwnedTasks() }

    /// The session, read-only.
    public var session: SessionState { SessionState(core.session) }

    /// The size of the screen, now and whenever it changes.
    public var viewport: ViewportMonitor { core.entry?.viewport ?? core.container.viewport }

    /// A new aggregate model of type `type`, made from the arguments.
    public func aggregateModel<Model, First, each Argument>(
        _ type: Model.Type = Model.self, _ first: First, _ argument: repeat each Argument
    ) throws -> Model {
        try core.resolve(type, named: nil, AggregateModelContext.self, first, repeat each argument)
    }

    /// A new use case of type `type`, made from the arguments.
    public func useCase<UseCase, First, each Argument>(
        _ type: UseCase.Type = UseCase.self, _ first: First, _ argument: repeat each Argument
    ) throws -> UseCase {
        try core.resolve(type, named: nil, UseCaseContext.self, first, repeat each argument)
    }

    /// A provider of the repository, for later or repeated use.
    public func repositoryProvider<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) -> Provider<Repository> {
        Provider(type, named: name, RepositoryContext.self, core)
    }

    /// The contributions of all modules to `point`, in order.
    public func contributions<Element>(to point: ContributionPoint<Element>) throws -> [Contribution<Element>]
    {
        try core.container.contributions(to: point, for: core.requester)
    }
}

extension ViewModelContext: LayerContext {
    @inlinable nonisolated static var tag: UInt { 5 }
}

/// The context of a screen factory; can't be stored or captured.
@MainActor
public struct ScreenContext<Shown: Destination>: ~Copyable {
    let core: ContextCore
    /// The destination that is shown, with its arguments.
    public let destination: Shown

    init(_ core: ContextCore, _ destination: Shown) {
        self.core = core
        self.destination = destination
    }

    /// A new view model of type `Model`, for this stack entry.
    public func viewModel<Model: ViewModel>() throws -> Model {
        let model = try core.resolve(Model.self, ViewModelContext.self)
        core.entry?.record(model, of: core.requester.scope)
        return model
    }

    /// A new view model of type `Model`, for this stack entry, built from the arguments.
    public func viewModel<Model: ViewModel, First, each Argument>(
        _ first: First, _ argument: repeat each Argument
    ) throws -> Model {
        let model = try core.resolve(
            Model.self, named: nil, ViewModelContext.self, first, repeat each argument)
        core.entry?.record(model, of: core.requester.scope)
        return model
    }
}
