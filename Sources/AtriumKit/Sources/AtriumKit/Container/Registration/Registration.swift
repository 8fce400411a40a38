/// What a generation of a module registered under one key; never changes.
///
/// Is the factory itself, where that takes its layer's context only: a registration is made for every type
/// of every module, so it is one object without generic parts.
@MainActor
final class Registration: ErasedFactory {
    nonisolated let key: RegistrationKey
    /// What an index finds the registration by; 0 where it has a label.
    nonisolated let word: UInt
    nonisolated let owner: ModuleScope
    nonisolated let lifetime: Lifetime
    nonisolated let kind: Kind
    /// For a service, the factories for the environments other than mock.
    let alternatives: Alternatives?
    /// The ``AsynchronousFactory`` or ``ArgumentFactory`` of those kinds; what it takes is in its type.
    let typedFactory: AnyFactory?
    /// The list that a contribution belongs to.
    let membership: Membership?
    /// The place among what the module registered.
    var position = 0

    /// How the value is built.
    enum Kind {
        /// From its layer's context.
        case factory
        /// The same, and the factory has to be awaited.
        case asynchronous
        /// From its layer's context and arguments.
        case arguments
        /// Not here: a screen is built for a stack entry.
        case screen
    }

    /// The factories of a service for the environments other than mock; nil where there is none.
    final class Alternatives {
        let live: ErasedFactory?
        let local: ErasedFactory?

        init(live: ErasedFactory?, local: ErasedFactory?) {
            self.live = live
            self.local = local
        }
    }

    /// The place of a contribution in its list.
    final class Membership {
        let list: RegistrationKey
        /// Lower ones come first.
        let order: Int

        init(list: RegistrationKey, order: Int) {
            self.list = list
            self.order = order
        }
    }

    init<Context: LayerContext & ~Copyable, Value>(
        _ key: RegistrationKey, owner: ModuleScope, lifetime: Lifetime, alternatives: Alternatives? = nil,
        membership: Membership? = nil, make: @escaping @MainActor (borrowing Context) throws -> Value
    ) {
        self.key = key
        word = key.label == nil ? key.word : 0
        self.owner = owner
        self.lifetime = lifetime
        self.alternatives = alternatives
        self.membership = membership
        kind = .factory
        typedFactory = nil
        super.init(make)
    }

    /// A registration whose factory takes more than its layer's context, or has to be awaited.
    init(_ key: RegistrationKey, owner: ModuleScope, lifetime: Lifetime, _ kind: Kind, _ factory: AnyFactory)
    {
        self.key = key
        word = key.label == nil ? key.word : 0
        self.owner = owner
        self.lifetime = lifetime
        self.kind = kind
        alternatives = nil
        membership = nil
        typedFactory = factory
        super.init()
    }

    /// The registration of a screen.
    init(screen key: RegistrationKey, owner: ModuleScope) {
        self.key = key
        word = key.label == nil ? key.word : 0
        self.owner = owner
        lifetime = .transient
        kind = .screen
        alternatives = nil
        membership = nil
        typedFactory = nil
        super.init()
    }

    /// The types of the arguments that the factory takes.
    var argumentTypes: [any Any.Type] { typedFactory?.argumentTypes ?? [] }

    /// Whether the factory has to be awaited.
    var isAsynchronous: Bool { kind == .asynchronous }

    /// The environments for which there is a factory; nil where the environment makes no difference.
    var environments: [Environment]? {
        guard let alternatives else { return nil }
        var environments: [Environment] = [.mock]
        if alternatives.local != nil { environments.append(.local) }
        if alternatives.live != nil { environments.append(.live) }
        return environments
    }

    /// The factory for an environment, where one takes its layer's context only.
    func factory(in environment: Environment) -> ErasedFactory? {
        guard kind == .factory else { return nil }
        guard let alternatives else { return self }
        switch environment {
        case .mock: return self
        case .local: return alternatives.local
        case .live: return alternatives.live
        }
    }

    /// Runs the factory for the environment of the container in which `core` asks.
    func make<Context: LayerContext & ~Copyable, Value>(
        _ core: ContextCore, _ context: Context.Type
    ) throws -> Value {
        let environment = core.container.environment
        guard let factory = factory(in: environment) else {
            throw ResolutionError.wrongEnvironment(key, environment, available: environments ?? [])
        }
        if alternatives != nil, environment != .mock,
            let refusal = core.container.refuseUnmocked?(key.name, environment)
        {
            throw refusal
        }
        return try Factory<Context, Value>.run(.passUnretained(factory), Context(core))
    }
}
