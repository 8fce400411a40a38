@_spi(Host) @testable import AtriumKit

/// A value that keeps what it was built of, and knows which generation's factory built it.
@MainActor
final class Node {
    let name: String
    /// The generation of the module whose factory made it.
    let version: Int
    let held: [Node]
    /// What it may build later.
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

    /// Builds what it may build later; what is not there is left out.
    func buildLater() {
        for build in later { _ = try? build() }
    }
}

/// Counts the objects that live.
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

// The contexts of the layers can't express a graph in which any node may ask for any other, so the factories
// of nodes, all of them use cases, reach past theirs, to the core.
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
