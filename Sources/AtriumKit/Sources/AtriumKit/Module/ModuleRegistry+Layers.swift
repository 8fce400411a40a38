// A factory reaches only what its layer may use: see the table in Container/Contexts/README.md.

extension ModuleRegistry {
    /// Registers a service, with an implementation for each environment: over the network, on this machine,
    /// and with invented data, so that every service can be tested.
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

    /// Unavailable: a service needs an implementation besides that for environment mock.
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

    /// Registers a use case: a rule that spans repositories.
    public func useCase<UseCase>(
        _ type: UseCase.Type, named name: String? = nil, lifetime: Lifetime = .transient,
        _ factory: @escaping @MainActor (borrowing UseCaseContext) throws -> UseCase
    ) {
        register(type, named: name, lifetime, factory)
    }

    /// Registers a use case that is built on each use, from arguments.
    public func useCase<UseCase, First, each Argument>(
        _ type: UseCase.Type,
        _ factory:
            @escaping @MainActor (borrowing UseCaseContext, First, repeat each Argument) throws -> UseCase
    ) {
        registerWithArguments(type, factory)
    }

    /// Registers an aggregate model, shared by the screens of its bounded context.
    public func aggregateModel<Model>(
        _ type: Model.Type, named name: String? = nil, lifetime: Lifetime = .shared,
        _ factory: @escaping @MainActor (borrowing AggregateModelContext) throws -> Model
    ) {
        register(type, named: name, lifetime, factory)
    }

    /// Registers an aggregate model that is built on each use, from arguments.
    public func aggregateModel<Model, First, each Argument>(
        _ type: Model.Type,
        _ factory:
            @escaping @MainActor (borrowing AggregateModelContext, First, repeat each Argument) throws
            -> Model
    ) {
        registerWithArguments(type, factory)
    }

    /// Registers a view model, built for each stack entry.
    public func viewModel<Model: ViewModel>(
        _ type: Model.Type,
        _ factory: @escaping @MainActor (borrowing ViewModelContext) throws -> Model
    ) {
        register(type, named: nil, .transient, factory)
    }

    /// Registers a view model, built for each stack entry from the arguments that the screen passes.
    public func viewModel<Model: ViewModel, First, each Argument>(
        _ type: Model.Type,
        _ factory:
            @escaping @MainActor (borrowing ViewModelContext, First, repeat each Argument) throws
            -> Model
    ) {
        registerWithArguments(type, factory)
    }

    /// Registers the transport of the host's API client; the manifest declares `"provides":
    /// ["HTTPTransport"]`.
    ///
    /// A module of activation `onDemand` is loaded by the first request.
    public func infrastructure(
        _ type: (any HTTPTransport).Type,
        _ factory: @escaping @MainActor (borrowing InfrastructureContext) throws -> any HTTPTransport
    ) {
        register((any HTTPTransport).self, named: nil, .shared, factory)
    }

    /// Registers the engine for the data of environment local; the manifest declares `"provides":
    /// ["DatabaseEngine"]`.
    ///
    /// A module of activation `onDemand` is loaded by the first use of a module's data.
    public func infrastructure(
        _ type: (any DatabaseEngine).Type,
        _ factory: @escaping @MainActor (borrowing InfrastructureContext) throws -> any DatabaseEngine
    ) {
        register((any DatabaseEngine).self, named: nil, .shared, factory)
    }
}

/// A marker for an environment without an implementation; resolving the service there names the other ones.
public struct Unavailable: Sendable {
    private init() {}

    /// There is no implementation for this environment.
    public static var unavailable: Unavailable { Unavailable() }
}
