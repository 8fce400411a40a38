@_spi(Host) @testable import AtriumKit

/// The registration key of a numbered definition: a name for odd numbers, a type of its own for even ones,
/// so that inlined code can find it.
struct NodeAddress: Hashable {
    let number: Int

    /// The name that the graph and errors use.
    var name: String {
        isTyped ? RegistrationKey.name(of: Self.valueType(of: Self.digits(number))) : "Node '\(label)'"
    }

    private var isTyped: Bool { number.isMultiple(of: 2) }
    private var label: String { "n\(number)" }
}

@MainActor
extension NodeAddress {
    typealias Make = @MainActor (borrowing UseCaseContext) throws -> Node

    func register(in registry: ModuleRegistry, _ lifetime: Lifetime, _ make: @escaping Make) {
        guard isTyped else { return registry.useCase(Node.self, named: label, lifetime: lifetime, make) }
        Self.register(Self.digits(number), in: registry, lifetime, make)
    }

    func node(from core: ContextCore) throws -> Node {
        guard isTyped else { return try core.node(label) }
        return try Self.node(Self.digits(number), from: core)
    }

    /// Resolves the node as the host does.
    func node(in container: Container) throws -> Node {
        guard isTyped else { return try container.node(label) }
        return try Self.node(Self.digits(number), in: container)
    }

    /// Returns the shared value if it is built already.
    func present(in container: Container) -> Node? {
        guard isTyped else { return Self.box(Node.self, label, in: container)?.value }
        return Self.present(Self.digits(number), in: container)
    }

    /// Returns a closure that resolves the node later.
    func later(from core: ContextCore) -> Node.Later {
        guard isTyped else {
            let provider = core.nodeProvider(label)
            return { try provider() }
        }
        return Self.later(Self.digits(number), from: core)
    }

    private static func register<Number: Digits>(
        _: Number.Type, in registry: ModuleRegistry, _ lifetime: Lifetime, _ make: @escaping Make
    ) {
        registry.useCase(Typed<Number>.self, lifetime: lifetime) { Typed(node: try make($0)) }
    }

    private static func node<Number: Digits>(_: Number.Type, from core: ContextCore) throws -> Node {
        try core.resolve(Typed<Number>.self, UseCaseContext.self).node
    }

    private static func node<Number: Digits>(_: Number.Type, in container: Container) throws -> Node {
        try container.value(Typed<Number>.self, .useCase).node
    }

    private static func present<Number: Digits>(_: Number.Type, in container: Container) -> Node? {
        box(Typed<Number>.self, nil, in: container)?.value.node
    }

    private static func box<Value>(
        _ type: Value.Type, _ label: String?, in container: Container
    ) -> ValueBox<Value>? {
        container.find(RegistrationKey(type, .useCase, named: label))?.box.map {
            unsafeDowncast($0, to: ValueBox<Value>.self)
        }
    }

    private static func later<Number: Digits>(_: Number.Type, from core: ContextCore) -> Node.Later {
        let provider = Provider(Typed<Number>.self, named: nil, UseCaseContext.self, core)
        return { try provider().node }
    }
}

// MARK: - A type for each number

/// A number as a type, starting with its last binary digit.
private protocol Digits {}
private enum End: Digits {}
private enum Zero<Higher: Digits>: Digits {}
private enum One<Higher: Digits>: Digits {}

/// A node that is registered under a type of its own.
private struct Typed<Number: Digits> {
    let node: Node
}

extension NodeAddress {
    private static func digits(_ number: Int) -> any Digits.Type {
        number == 0 ? End.self : add(number % 2, to: digits(number / 2))
    }

    private static func add<Higher: Digits>(_ digit: Int, to: Higher.Type) -> any Digits.Type {
        digit == 0 ? Zero<Higher>.self : One<Higher>.self
    }

    private static func valueType<Number: Digits>(of: Number.Type) -> any Any.Type {
        Typed<Number>.self
    }
}
