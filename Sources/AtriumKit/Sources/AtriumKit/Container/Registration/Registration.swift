/// What a generation of a module registered under one key, without its types; never changes.
@MainActor
class Registration {
    let key: RegistrationKey
    let owner: ModuleScope
    let lifetime: Lifetime
    /// The list that a contribution belongs to.
    let listKey: RegistrationKey?
    /// Orders contributions; 0 for everything else.
    let order: Int
    /// The place among what the module registered; orders contributions of the same order.
    var position = 0

    init(
        key: RegistrationKey, owner: ModuleScope, lifetime: Lifetime, listKey: RegistrationKey? = nil,
        order: Int = 0
    ) {
        self.key = key
        self.owner = owner
        self.lifetime = lifetime
        self.listKey = listKey
        self.order = order
    }

    /// The types of the arguments that the factory takes.
    var argumentTypes: [any Any.Type] { [] }
    /// Whether the factory has to be awaited.
    var isAsynchronous: Bool { false }
    /// The environments for which there is a factory; nil where the environment makes no difference.
    var environments: [Environment]? { nil }

    /// The ``Factory`` that inlined code may call; nil where there is none.
    func inlinedFactory(in environment: Environment) -> AnyObject? { nil }

    /// Builds the value of a registration without arguments, for its own sake.
    func build(_ slot: Slot, for request: Request) throws {
        preconditionFailure("A registration with arguments or of a screen is built by who has the arguments.")
    }

    /// Builds the value of an asynchronous registration, for its own sake.
    func buildAsynchronously(_ slot: Slot, for request: Request) async throws {
        try build(slot, for: request)
    }
}

/// A registration whose factory takes its layer's context only.
final class FactoryRegistration<Context: LayerContext & ~Copyable, Value>: Registration {
    private let common: Factory<Context, Value>
    /// Where the environment makes a difference, ``common`` is for mock.
    private let ofEnvironments: (live: Factory<Context, Value>?, local: Factory<Context, Value>?)?

    init(
        key: RegistrationKey, owner: ModuleScope, lifetime: Lifetime, listKey: RegistrationKey? = nil,
        order: Int = 0, factory: Factory<Context, Value>,
        ofEnvironments: (live: Factory<Context, Value>?, local: Factory<Context, Value>?)? = nil
    ) {
        self.common = factory
        self.ofEnvironments = ofEnvironments
        super.init(key: key, owner: owner, lifetime: lifetime, listKey: listKey, order: order)
    }

    override var environments: [Environment]? {
        guard let ofEnvironments else { return nil }
        var environments: [Environment] = [.mock]
        if ofEnvironments.local != nil { environments.append(.local) }
        if ofEnvironments.live != nil { environments.append(.live) }
        return environments
    }

    override func inlinedFactory(in environment: Environment) -> AnyObject? {
        factory(in: environment)
    }

    private func factory(in environment: Environment) -> Factory<Context, Value>? {
        guard let ofEnvironments else { return common }
        switch environment {
        case .mock: return common
        case .local: return ofEnvironments.local
        case .live: return ofEnvironments.live
        }
    }

    /// Runs the factory for the environment of the container in which `core` asks.
    func make(_ core: ContextCore) throws -> Value {
        let environment = core.container.environment
        guard let factory = factory(in: environment) else {
            throw ResolutionError.wrongEnvironment(key, environment, available: environments ?? [])
        }
        if ofEnvironments != nil, environment != .mock,
            let refusal = core.container.refuseUnmocked?(key.name, environment)
        {
            throw refusal
        }
        return try factory.make(Context(core))
    }

    override func build(_ slot: Slot, for request: Request) throws {
        let _: Value = try slot.value(of: self, for: request) { try self.make($0) }
    }
}

/// A registration whose factory has to be awaited.
final class AsynchronousRegistration<Context: LayerContext & ~Copyable, Value>: Registration {
    typealias Make = @MainActor (borrowing Context) async throws -> Value
    private let common: Make
    private let ofEnvironments: (live: Make?, local: Make?)?

    init(
        key: RegistrationKey, owner: ModuleScope, lifetime: Lifetime, factory: @escaping Make,
        ofEnvironments: (live: Make?, local: Make?)? = nil
    ) {
        self.common = factory
        self.ofEnvironments = ofEnvironments
        super.init(key: key, owner: owner, lifetime: lifetime)
    }

    override var isAsynchronous: Bool { true }

    override var environments: [Environment]? {
        guard let ofEnvironments else { return nil }
        var environments: [Environment] = [.mock]
        if ofEnvironments.local != nil { environments.append(.local) }
        if ofEnvironments.live != nil { environments.append(.live) }
        return environments
    }

    /// Runs the factory for the environment of the container in which `core` asks.
    func make(_ core: ContextCore) async throws -> Value {
        let environment = core.container.environment
        let factory: Make?
        switch (environment, ofEnvironments) {
        case (_, nil), (.mock, _): factory = common
        case (.local, let others?): factory = others.local
        case (.live, let others?): factory = others.live
        }
        guard let factory else {
            throw ResolutionError.wrongEnvironment(key, environment, available: environments ?? [])
        }
        return try await factory(Context(core))
    }

    override func buildAsynchronously(_ slot: Slot, for request: Request) async throws {
        let _: Value = try await slot.value(of: self, for: request)
    }
}

/// A registration whose factory takes arguments besides its layer's context.
final class ArgumentRegistration<Context: LayerContext & ~Copyable, Value, each Argument>: Registration {
    typealias Make = @MainActor (borrowing Context, repeat each Argument) throws -> Value
    private let factory: Make

    init(key: RegistrationKey, owner: ModuleScope, factory: @escaping Make) {
        self.factory = factory
        super.init(key: key, owner: owner, lifetime: .transient)
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
