import TestSupport

@_spi(Host) @testable import AtriumKit

/// A container whose factories stop at each step until the test lets one of them go on, while modules change.
@MainActor
final class AwaitedWorld {
    let container = Container(environment: .mock)
    var generator: SeededGenerator
    /// Counts the states of the container; of each, what is registered in it.
    private(set) var states: [[Int: AwaitedPart]] = [[:]]
    private var scopes: [ModuleScope?]
    private let graph: Graph
    private var stopped: [CheckedContinuation<Void, Never>] = []
    private var isOpen = false

    struct Graph {
        var size = 12
        var moduleCount = 3
        /// Of a hundred, how many wants lead back and how many parts are missing.
        var back = 0
        var missing = 0
    }

    struct AwaitedPart {
        let version: Int
        let isShared: Bool
        /// Whether it is built at once, and its factory does not stop.
        let isImmediate: Bool
        let wants: [Int]
    }

    init(_ graph: Graph, seed: UInt64) throws {
        self.graph = graph
        generator = SeededGenerator(seed: seed)
        scopes = Array(repeating: nil, count: graph.moduleCount)
        for module in 0..<graph.moduleCount { try change(module) }
    }

    /// The number of the present state.
    var state: Int { states.count - 1 }

    func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    // MARK: - Changes

    /// Exchanges a module, or removes it.
    func change(_ module: Int, removes: Bool = false) throws {
        let change = StagedChange(of: container)
        if let scope = scopes[module] { change.remove(scope) }
        var parts = states[state].filter { $0.key % graph.moduleCount != module }
        scopes[module] = nil
        if !removes {
            let next = self.parts(of: module)
            parts.merge(next) { $1 }
            let scope = ModuleScope.named(
                "M\(module)", generation: states.count,
                requires: Set((0..<graph.moduleCount).map { "M\($0)" }))
            let registry = ModuleRegistry(scope: scope)
            for (number, part) in next.sorted(by: { $0.key < $1.key }) {
                register(number, part, in: registry)
            }
            try change.add(registry)
            scopes[module] = scope
        }
        try change.publish()
        states.append(parts)
    }

    private func parts(of module: Int) -> [Int: AwaitedPart] {
        var parts: [Int: AwaitedPart] = [:]
        for number in 0..<graph.size where number % graph.moduleCount == module {
            guard random(0..<100) >= graph.missing else { continue }
            let isImmediate = number >= graph.size - graph.moduleCount * 2
            let wants = (0..<random(0..<3)).compactMap { _ -> Int? in
                // What is built at once can't ask for what has to be awaited.
                if random(0..<100) < graph.back, !isImmediate { return random(0..<number + 1) }
                return number + 1 < graph.size ? random(number + 1..<graph.size) : nil
            }
            parts[number] = AwaitedPart(
                version: states.count, isShared: random(0..<4) > 0, isImmediate: isImmediate, wants: wants)
        }
        return parts
    }

    private func register(_ number: Int, _ part: AwaitedPart, in registry: ModuleRegistry) {
        let name = "n\(number)"
        guard !part.isImmediate else {
            return registry.useCase(Node.self, named: name, lifetime: part.isShared ? .shared : .transient) {
                context in
                let core = context.core
                return Node(
                    "\(number)", version: part.version, held: try part.wants.map { try core.node("n\($0)") })
            }
        }
        registry.useCase(Node.self, named: name, lifetime: part.isShared ? .shared : .transient) {
            [unowned self] context async throws in
            var held: [Node] = []
            for want in part.wants {
                await stop()
                held.append(try await context.core.awaitedNode("n\(want)"))
            }
            await stop()
            return Node("\(number)", version: part.version, held: held)
        }
    }

    // MARK: - Steps

    /// Stops a factory until the test lets it go on.
    private func stop() async {
        guard !isOpen else { return }
        await withCheckedContinuation { stopped.append($0) }
    }

    /// Lets one of the factories go on that have stopped.
    func letOneGoOn() {
        guard !stopped.isEmpty else { return }
        stopped.remove(at: random(0..<stopped.count)).resume()
    }

    /// Lets all go on, from now on.
    func open() {
        isOpen = true
        for continuation in stopped { continuation.resume() }
        stopped = []
    }

    /// Lets those run who can.
    func settle() async {
        for _ in 0..<6 { await Task.yield() }
    }
}
