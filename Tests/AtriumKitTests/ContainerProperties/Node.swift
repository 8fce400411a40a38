@_spi(Host) @testable import AtriumKit

/// A value that holds its dependencies and the generation whose factory built it.
@MainActor
final class Node {
    let name: String
    /// The generation of the module whose factory built it.
    let version: Int
    let held: [Node]
    /// Closures that resolve the later dependencies.
    private let later: [Later]
    private let token: LiveCount.Token?

    typealias Later = @MainActor () throws -> Node

    init(
        _ name: String, version: Int = 1, held: [Node] = [], later: [Later] = [],
        token: LiveCount.Token? = nil
    ) {
        self.name = name
        self.version = version
        self.held = held
        self.later = later
        self.token = token
    }

    /// Resolves the later dependencies, and ignores the missing ones.
    func buildLater() {
        for build in later { _ = try? build() }
    }
}

/// Counts live objects.
@MainActor
final class LiveCount {
    private(set) var count = 0

    /// Counts as alive until it is released.
    func token() -> Token { Token(self) }

    @MainActor
    final class Token {
        private let live: LiveCount

        fileprivate init(_ live: LiveCount) {
            self.live = live
            live.count += 1
        }

        isolated deinit {
            live.count -= 1
        }
    }
}

// The contexts of the layers can't express a graph in which any node may depend on any other. The factories
// of nodes, all of them use cases, therefore resolve through the core of their context.
extension ContextCore {
    @MainActor func node(_ name: String) throws -> Node {
        try resolve(Node.self, named: name, UseCaseContext.self)
    }

    @MainActor func nodeProvider(_ name: String) -> Provider<Node> {
        Provider(Node.self, named: name, UseCaseContext.self, self)
    }
}

extension Container {
    func node(_ name: String) throws -> Node {
        try value(Node.self, .useCase, named: name)
    }
}

extension ModuleRegistry {
    /// Registers a node that holds the nodes named `held`.
    func node(_ name: String, version: Int = 1, _ lifetime: Lifetime = .shared, holding held: String...) {
        useCase(Node.self, named: name, lifetime: lifetime) { context in
            let core = context.core
            return Node(name, version: version, held: try held.map { try core.node($0) })
        }
    }
}
