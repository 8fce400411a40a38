import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Awaited builds while modules change at random")
@MainActor
struct AwaitedPropertyTests {
    private typealias Graph = AwaitedWorld.Graph
    private nonisolated static let graphs = [
        Graph(), Graph(missing: 10), Graph(size: 8, moduleCount: 2, back: 15), Graph(back: 8, missing: 5),
    ]

    /// A request, with the state that it began in.
    private struct Asked {
        let state: Int
        let number: Int
        let task: Task<Node, any Error>
        var isCancelled = false
    }

    @Test(
        "Each request is answered by the state that it began in, with one shared value of each kind",
        .timeLimit(.minutes(1)), arguments: graphs.indices)
    func states(_ kind: Int) async throws {
        for seed in 1...25 {
            let world = try AwaitedWorld(Self.graphs[kind], seed: UInt64(seed * 10 + kind))
            var asked: [Asked] = []
            for _ in 0..<40 {
                switch world.random(0..<10) {
                case 0: try world.change(world.random(0..<2), removes: world.random(0..<3) == 0)
                case 1 where !asked.isEmpty:
                    let position = world.random(0..<asked.count)
                    asked[position].task.cancel()
                    asked[position].isCancelled = true
                case 2...4: asked.append(await ask(world))
                default: world.letOneGoOn()
                }
                await world.settle()
            }
            world.open()
            try await check(asked, world, "seed \(seed * 10 + kind)")
        }
    }

    private func ask(_ world: AwaitedWorld) async -> Asked {
        let number = world.random(0..<8)
        let started = Turnstile()
        let state = world.state
        let task = Task { [container = world.container] in
            started.note()
            return try await container.awaitedNode("n\(number)")
        }
        await started.arrivals(1)
        return Asked(state: state, number: number, task: task)
    }

    private func check(_ asked: [Asked], _ world: AwaitedWorld, _ seed: Comment) async throws {
        var shared: [[Int]: Node] = [:]
        for asked in asked {
            let expected = failure(of: asked.number, in: world.states[asked.state], path: [])
            switch await asked.task.result {
            case .success(let node):
                #expect(expected == nil, seed)
                check(node, of: asked.state, world, &shared, seed)
            case .failure(let error as ResolutionError):
                #expect(error.code == expected, "\(asked.number): \(error.message) \(seed)")
            case .failure(let error):
                #expect(error is CancellationError && asked.isCancelled, "\(asked.number): \(error) \(seed)")
            }
        }
    }

    /// Checks that everything in `node` is of one state, and that there is one of each shared value in it.
    private func check(
        _ node: Node, of state: Int, _ world: AwaitedWorld, _ shared: inout [[Int]: Node], _ seed: Comment
    ) {
        guard let number = Int(node.name), let part = world.states[state][number] else {
            Issue.record("\(node.name) is not in state \(state), \(seed)")
            return
        }
        #expect(node.version == part.version, "\(number) in state \(state), \(seed)")
        #expect(node.held.map(\.name) == part.wants.map(String.init), seed)
        if part.isShared {
            #expect(shared[[state, number], default: node] === node, "\(number) in state \(state), \(seed)")
            shared[[state, number]] = node
        }
        for held in node.held { check(held, of: state, world, &shared, seed) }
    }

    /// What a request fails with, by the description; nil where it succeeds.
    private func failure(of number: Int, in parts: [Int: AwaitedWorld.AwaitedPart], path: [Int]) -> ErrorCode?
    {
        guard let part = parts[number] else { return .notRegistered }
        guard !path.contains(number) else { return .cycle }
        for want in part.wants {
            if let code = failure(of: want, in: parts, path: path + [number]) { return code }
        }
        return nil
    }
}
