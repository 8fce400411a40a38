/// Takes a module's registrations, on behalf of the generation that is being loaded.
///
/// Nothing is built and nothing is visible until the host has checked all of it; what is wrong is reported
/// together. Factories run later, on the main actor, when something is first wanted.
@MainActor
public final class ModuleRegistry {
    private let scope: ModuleScope
    private let environment: Environment
    private(set) var slots: [AnySlot] = []
    @_spi(Host) public private(set) var screens: [ScreenRegistration] = []
    @_spi(Host) public private(set) var findings: [RegistrationError] = []

    @_spi(Host) public init(scope: ModuleScope, environment: Environment) {
        self.scope = scope
        self.environment = environment
    }

    /// Registers a service, with an implementation for each environment.
    ///
    /// - Parameters:
    ///   - type: What repositories ask for, usually a protocol.
    ///   - lifetime: How long what was built lives.
    ///   - local: Builds the implementation that keeps data on this machine.
    ///   - mock: Builds the implementation with invented data; required, so that every service can be tested.
    public func service<Service>(
        _ type: Service.Type, lifetime: Lifetime = .shared,
        local: @escaping @MainActor (borrowing ServiceContext) throws -> Service,
        mock: @escaping @MainActor (borrowing ServiceContext) throws -> Service
    ) {
        let (scope, environment) = (scope, environment)
        add(
            Slot<Service>(.service, owner: scope, lifetime: lifetime) { _ in
                switch environment {
                case .local: return try local(ServiceContext(scope))
                case .mock: return try mock(ServiceContext(scope))
                case .live:
                    throw ResolutionError.environmentUnavailable(
                        RegistrationKey(type, .service), .live, available: [.local, .mock])
                }
            })
    }

    /// Registers a repository.
    public func repository<Repository>(
        _ type: Repository.Type, lifetime: Lifetime = .shared,
        _ factory: @escaping @MainActor (borrowing RepositoryContext) throws -> Repository
    ) {
        let scope = scope
        add(
            Slot<Repository>(.repository, owner: scope, lifetime: lifetime) { container in
                try factory(RepositoryContext(container, scope))
            })
    }

    /// Registers a use case: a rule that spans repositories.
    public func useCase<UseCase>(
        _ type: UseCase.Type, lifetime: Lifetime = .transient,
        _ factory: @escaping @MainActor (borrowing UseCaseContext) throws -> UseCase
    ) {
        add(
            Slot<UseCase>(.useCase, owner: scope, lifetime: lifetime) { container in
                try factory(UseCaseContext(container))
            })
    }

    /// Registers an aggregate model, shared by the screens of its bounded context.
    public func aggregateModel<Model>(
        _ type: Model.Type, _ factory: @escaping @MainActor (borrowing AggregateModelContext) throws -> Model
    ) {
        add(
            Slot<Model>(.aggregateModel, owner: scope, lifetime: .shared) { container in
                try factory(AggregateModelContext(container))
            })
    }

    /// Registers a view model, made anew for each stack entry from the arguments that the screen passes.
    public func viewModel<Model: ViewModel, each Argument>(
        _ type: Model.Type,
        _ factory: @escaping @MainActor (borrowing ViewModelContext, repeat each Argument) throws -> Model
    ) {
        add(
            Slot<Model, repeat each Argument>(.viewModel, owner: scope, lifetime: .transient) {
                (container: Container, argument: repeat each Argument) in
                try factory(ViewModelContext(container), repeat each argument)
            })
    }

    /// Registers the screen of a destination; its pattern must be declared in `module.json`.
    public func screen<Place: Destination, Shown: View>(
        _ destination: Place.Type,
        _ factory: @escaping @MainActor (borrowing ScreenContext<Place>) throws -> Shown
    ) {
        guard !screens.contains(where: { $0.pattern == Place.pattern }) else {
            findings.append(.duplicateScreen(Place.pattern.description, module: scope.name))
            return
        }
        screens.append(ScreenRegistration(destination, module: scope.name, factory: factory))
    }

    private func add(_ slot: AnySlot) {
        if slots.contains(where: { $0.key == slot.key }) {
            findings.append(.duplicate(slot.key, module: scope.name, presentModule: scope.name))
        } else {
            slots.append(slot)
        }
    }
}
