/// A factory that takes more than its layer's context, or has to be awaited.
@MainActor
class AnyFactory {
    /// The types of the arguments.
    var argumentTypes: [any Any.Type] { [] }

    /// Builds the shared value of `slot` for its own sake.
    func build(_ slot: Slot, _ registration: Registration, for request: Request) async throws {
        preconditionFailure("What takes arguments is built by who has them.")
    }
}

/// A factory that has to be awaited.
final class AsynchronousFactory<Context: LayerContext & ~Copyable, Value>: AnyFactory {
    typealias Make = @MainActor (borrowing Context) async throws -> Value
    private let factory: Make

    init(_ factory: @escaping Make) {
        self.factory = factory
    }

    /// Runs the factory.
    func make(_ core: ContextCore) async throws -> Value {
        try await factory(Context(core))
    }

    override func build(_ slot: Slot, _ registration: Registration, for request: Request) async throws {
        let _: Value = try await slot.value(of: registration, self, for: request)
    }
}

/// A factory that takes arguments besides its layer's context.
final class ArgumentFactory<Context: LayerContext & ~Copyable, Value, each Argument>: AnyFactory {
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

    /// Runs the factory.
    func make(_ core: ContextCore, _ argument: repeat each Argument) throws -> Value {
        try factory(Context(core), repeat each argument)
    }
}
