/// Where one key's registration lives, without its types.
@MainActor
class AnySlot {
    let key: RegistrationKey
    let owner: ModuleScope
    /// The types of the arguments that the factory takes.
    let argumentTypes: [any Any.Type]
    /// Whether the factory is running, further up the path: asking for it again is a cycle.
    var isBuilding = false

    init(key: RegistrationKey, owner: ModuleScope, argumentTypes: [any Any.Type]) {
        self.key = key
        self.owner = owner
        self.argumentTypes = argumentTypes
    }

    /// Lets go of the shared value.
    func reset() {}
}

/// A registration with its types: what it builds and the arguments that takes.
@MainActor
final class Slot<Value, each Argument>: AnySlot {
    typealias Factory = @MainActor (Container, repeat each Argument) throws -> Value

    private let lifetime: Lifetime
    private let factory: Factory
    private var shared: Value?

    init(_ layer: Layer, owner: ModuleScope, lifetime: Lifetime, factory: @escaping Factory) {
        self.lifetime = lifetime
        self.factory = factory
        var types: [any Any.Type] = []
        for type in repeat (each Argument).self { types.append(type) }
        super.init(key: RegistrationKey(Value.self, layer), owner: owner, argumentTypes: types)
    }

    func value(in container: Container, _ argument: repeat each Argument) throws -> Value {
        if let shared { return shared }
        isBuilding = true
        defer { isBuilding = false }
        let value = try factory(container, repeat each argument)
        if lifetime == .shared { shared = value }
        return value
    }

    override func reset() {
        shared = nil
    }
}
