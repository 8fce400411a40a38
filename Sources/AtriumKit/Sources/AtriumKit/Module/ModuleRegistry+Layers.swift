// One way to register for each layer. A factory sees what its layer may reach and nothing else: see the
// table in Container/Contexts/README.md.

extension ModuleRegistry {
    /// Registers a service, with an implementation for each environment.
    ///
    /// - Parameters:
    ///   - type: What repositories ask for, usually a protocol.
    ///   - name: Tells registrations of one type apart.
    ///   - lifetime: How long what was built lives.
    ///   - live: Builds the implementation that talks to a network API.
    ///   - local: Builds the implementation that keeps data on this machine.
    ///   - mock: Builds the implementation with invented data; required, so that every service can be tested.
    public func service<Service>(
        _ type: Service.Type, named name: String? = nil, lifetime: Lifetime = .shared,
        live: @escaping @MainActor (borrowing ServiceContext) throws -> Service,
        local: @escaping @MainActor (borrowing ServiceContext) throws -> Service,
        mock: @escaping @MainActor (borrowing ServiceContext) throws -> Service
    ) {
        registerService(type, named: name, lifetime, live: live, local: local, mock: mock)
    }

    /// Registers a service that has no implementation for environment `live`: `live: .unavailable`.
    public func service<Service>(
        _ type: Service.Type, named name: String? = nil, lifetime: Lifetime = .shared, live: Unavailable,
        local: @escaping @MainActor (borrowing ServiceContext) throws -> Service,
        mock: @escaping @MainActor (borrowing ServiceContext) throws -> Service
    ) {
        registerService(type, named: name, lifetime, live: nil, local: local, mock: mock)
    }

    /// Registers a service that has no implementation for environment `local`: `local: .unavailable`.
    public func service<Service>(
        _ type: Service.Type, named name: String? = nil, lifetime: Lifetime = .shared,
        live: @escaping @MainActor (borrowing ServiceContext) throws -> Service, local: Unavailable,
        mock: @escaping @MainActor (borrowing ServiceContext) throws -> Service
    ) {
        registerService(type, named: name, lifetime, live: live, local: nil, mock: mock)
    }

    /// A service has to work somewhere besides environment mock.
    @available(*, unavailable, message: "Give the service an implementation for live or local.")
    public func service<Service>(
        _ type: Service.Type, named name: String? = nil, lifetime: Lifetime = .shared, live: Unavailable,
        local: Unavailable, mock: @escaping @MainActor (borrowing ServiceContext) throws -> Service
    ) {}

    /// Registers a repository.
    public func repository<Repository>(
        _ type: Repository.Type, named name: String? = nil, lifetime: Lifetime = .shared,
        _ factory: @escaping @MainActor (borrowing RepositoryContext) throws -> Repository
    ) {
        register(type, named: name, lifetime, factory)
    }

    /// Registers a repository whose factory has to be awaited.
    public func repository<Repository>(
        _ type: Repository.Type, named name: String? = nil, lifetime: AsynchronousLifetime = .shared,
        awaiting factory: @escaping @MainActor (borrowing RepositoryContext) async throws -> Repository
    ) {
        registerAsynchronous(type, named: name, lifetime.lifetime, factory)
    }

    /// Registers a use case: a rule that spans repositories.
    public func useCase<UseCase>(
        _ type: UseCase.Type, named name: String? = nil, lifetime: Lifetime = .transient,
        _ factory: @escaping @MainActor (borrowing UseCaseContext) throws -> UseCase
    ) {
        register(type, named: name, lifetime, factory)
    }

    /// Registers a use case that is made anew each time, from arguments.
    public func useCase<UseCase, First, each Argument>(
        _ type: UseCase.Type,
        _ factory:
            @escaping @MainActor (borrowing UseCaseContext, First, repeat each Argument) throws -> UseCase
    ) {
        registerWithArguments(type, factory)
    }

    /// Registers a use case whose factory has to be awaited.
    public func useCase<UseCase>(
        _ type: UseCase.Type, named name: String? = nil, lifetime: AsynchronousLifetime = .transient,
        awaiting factory: @escaping @MainActor (borrowing UseCaseContext) async throws -> UseCase
    ) {
        registerAsynchronous(type, named: name, lifetime.lifetime, factory)
    }

    /// Registers an aggregate model, shared by the screens of its bounded context.
    public func aggregateModel<Model>(
        _ type: Model.Type, named name: String? = nil, lifetime: Lifetime = .shared,
        _ factory: @escaping @MainActor (borrowing AggregateModelContext) throws -> Model
    ) {
        register(type, named: name, lifetime, factory)
    }

    /// Registers an aggregate model that is made anew each time, from arguments.
    public func aggregateModel<Model, First, each Argument>(
        _ type: Model.Type,
        _ factory:
            @escaping @MainActor (borrowing AggregateModelContext, First, repeat each Argument) throws
            -> Model
    ) {
        registerWithArguments(type, factory)
    }

    /// Registers an aggregate model whose factory has to be awaited.
    public func aggregateModel<Model>(
        _ type: Model.Type, named name: String? = nil, lifetime: AsynchronousLifetime = .shared,
        awaiting factory: @escaping @MainActor (borrowing AggregateModelContext) async throws -> Model
    ) {
        registerAsynchronous(type, named: name, lifetime.lifetime, factory)
    }

    /// Registers a view model, made anew for each stack entry.
    public func viewModel<Model: ViewModel>(
        _ type: Model.Type,
        _ factory: @escaping @MainActor (borrowing ViewModelContext) throws -> Model
    ) {
        register(type, named: nil, .transient, factory)
    }

    /// Registers a view model, made anew for each stack entry from the arguments that the screen passes.
    public func viewModel<Model: ViewModel, First, each Argument>(
        _ type: Model.Type,
        _ factory:
            @escaping @MainActor (borrowing ViewModelContext, First, repeat each Argument) throws
            -> Model
    ) {
        registerWithArguments(type, factory)
    }
}

/// How long a value lives whose factory is awaited; it can't belong to a stack entry, which is built at once.
public struct AsynchronousLifetime: Sendable, Hashable {
    let lifetime: Lifetime

    /// Built once for all who wait, then the same for everybody until the module's generation leaves.
    public static let shared = AsynchronousLifetime(lifetime: .shared)
    /// Built anew each time.
    public static let transient = AsynchronousLifetime(lifetime: .transient)
}
