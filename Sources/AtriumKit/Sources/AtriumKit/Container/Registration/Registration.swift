/// The registration of one key by a generation of a module; never changes.
///
/// It is the factory itself if that takes only its layer's context: there is a registration for every type of
/// every module, so it is one object without generic parts.
@MainActor
final class Registration: ErasedFactory {
    nonisolated let key: RegistrationKey
    nonisolated let owner: ModuleScope
    nonisolated let lifetime: Lifetime
    nonisolated let kind: Kind
    let alternatives: Alternatives?
    /// The list that a contribution belongs to.
    let membership: Membership?
    /// The proxy of a service; nil if its module has none for it.
    let proxy: ServiceProxy?
    /// The index among the module's registrations.
    var index = 0
    /// The modules without which it is absent.
    var needs: [String] = []

    enum Kind {
        case factory
        case arguments(AnyArgumentFactory)
        case screen
    }

    struct Alternatives {
        let live: ErasedFactory?
        let local: ErasedFactory?
    }

    struct Membership {
        let list: RegistrationKey
        /// The order among the members; lower ones come first.
        let order: Int
    }

    init<Context: LayerContext & ~Copyable, Value>(
        _ key: RegistrationKey, owner: ModuleScope, lifetime: Lifetime, alternatives: Alternatives? = nil,
        membership: Membership? = nil, proxy: ServiceProxy? = nil,
        make: @escaping @MainActor (borrowing Context) throws -> Value
    ) {
        self.key = key
        self.owner = owner
        self.lifetime = lifetime
        self.alternatives = alternatives
        self.membership = membership
        self.proxy = proxy
        kind = .factory
        super.init(make)
    }

    /// Creates a registration that ``make(_:_:)`` does not build.
    init(_ key: RegistrationKey, owner: ModuleScope, _ kind: Kind) {
        self.key = key
        self.owner = owner
        lifetime = .transient
        self.kind = kind
        alternatives = nil
        membership = nil
        proxy = nil
        super.init()
    }

    var argumentTypes: [any Any.Type] {
        if case .arguments(let factory) = kind { factory.argumentTypes } else { [] }
    }

    /// The environments for which there is a factory; nil if the environment makes no difference.
    var environments: [Environment]? {
        guard let alternatives else { return nil }
        var environments: [Environment] = [.mock]
        if alternatives.local != nil { environments.append(.local) }
        if alternatives.live != nil { environments.append(.live) }
        return environments
    }

    func factory(in environment: Environment) -> ErasedFactory? {
        guard case .factory = kind else { return nil }
        guard let alternatives else { return self }
        switch environment {
        case .mock: return self
        case .local: return alternatives.local
        case .live: return alternatives.live
        }
    }

    func make<Context: LayerContext & ~Copyable, Value>(
        _ core: ContextCore, _ context: Context.Type
    ) throws -> Value {
        let environment = core.container.environment
        guard let factory = factory(in: environment) else {
            throw ResolutionError.wrongEnvironment(key, environment, available: environments ?? [])
        }
        if alternatives != nil, environment != .mock,
            let refusal = core.container.refuseUnmocked?(key, environment)
        {
            throw refusal
        }
        return try Factory<Context, Value>.run(.passUnretained(factory), Context(core))
    }

    // MARK: - Type-erased

    /// Builds the value and discards it, as verification and the preparation of a change do.
    func build(_ slot: Slot, for request: Request) throws {
        switch key.layer {
        case .infrastructure: try build(key.type, InfrastructureContext.self, slot, request)
        case .service: try build(key.type, ServiceContext.self, slot, request)
        case .repository: try build(key.type, RepositoryContext.self, slot, request)
        case .useCase: try build(key.type, UseCaseContext.self, slot, request)
        case .aggregateModel: try build(key.type, AggregateModelContext.self, slot, request)
        case .viewModel: try build(key.type, ViewModelContext.self, slot, request)
        case .contribution: try buildElement(key.type, slot, request)
        case .screen, .list: preconditionFailure("Nothing of this layer is built by type.")
        }
    }

    private func build<Context: LayerContext & ~Copyable, Value>(
        _ type: Value.Type, _ context: Context.Type, _ slot: Slot, _ request: Request
    ) throws {
        let _: Value = try slot.value(of: self, for: request) { try self.make($0, context) }
    }

    /// Builds an element of a list; its factory makes nil while there is none.
    private func buildElement<Element>(
        _ type: Element.Type, _ slot: Slot, _ request: Request
    ) throws {
        try build(Element?.self, ContributionContext.self, slot, request)
    }
}

@MainActor
class AnyArgumentFactory {
    var argumentTypes: [any Any.Type] { [] }
}

final class ArgumentFactory<Context: LayerContext & ~Copyable, Value, each Argument>: AnyArgumentFactory {
    typealias Make = @MainActor (borrowing Context, repeat each Argument) throws -> Value
    private let factory: Make

    init(_ factory: @escaping Make) {
        self.factory = factory
    }

    override var argumentTypes: [any Any.Type] {
        var types: [any Any.Type] = []
        for type in repeat (each Argument).self { types.append(type) }
        return types
    }

    func make(_ core: ContextCore, _ argument: repeat each Argument) throws -> Value {
        try factory(Context(core), repeat each argument)
    }
}
