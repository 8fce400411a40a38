import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Random changes of a container")
@MainActor
struct ChangePropertyTests {
    private nonisolated static let graphs = [
        RandomGraph(size: 24, moduleCount: 4, missing: 100, unreachable: 50, failing: 20, attempts: true),
        RandomGraph(size: 24, moduleCount: 4, back: 80, missing: 60, unreachable: 40),
        RandomGraph(size: 40, moduleCount: 8, missing: 20),
        RandomGraph(size: 24, moduleCount: 6, missing: 60, attempts: true),
    ]

    @Test(
        "After random changes the container equals a new one with the same modules",
        arguments: graphs.indices)
    func fresh(_ kind: Int) async throws {
        for seed in 1...8 {
            let world = RandomWorld(Self.graphs[kind], seed: UInt64(seed * 10 + kind))
            let changes = RandomChanges(world, "seed \(seed * 10 + kind)")
            for _ in 0..<12 { try await changes.next() }
            try changes.compareWithFresh()
            world.container.close()

            #expect(world.live.count == 0, "Values are alive after close(), seed \(seed * 10 + kind)")
        }
    }

    @Test("Removing all modules releases all of their values", arguments: 0..<3)
    func released(_ kind: Int) async throws {
        for seed in 1...5 {
            let world = RandomWorld(Self.graphs[kind], seed: UInt64(seed * 100 + kind))
            let changes = RandomChanges(world, "seed \(seed * 100 + kind)")
            for _ in 0..<12 { try await changes.next() }

            for module in world.modules { world.remove(module.name) }

            #expect(world.live.count == 0, "seed \(seed * 100 + kind)")
            #expect(world.container.count == 0)
            world.container.close()
        }
    }

    @Test("A discarded change releases its values and changes nothing else", arguments: graphs.indices)
    func discarded(_ kind: Int) async throws {
        for seed in 1...6 {
            let world = RandomWorld(Self.graphs[kind], seed: UInt64(seed * 1000 + kind))
            let changes = RandomChanges(world, "seed \(seed * 1000 + kind)")
            for _ in 0..<6 { try await changes.next() }
            let before = (picture: world.picture, live: world.live.count)

            for _ in 0..<3 {
                let change = try world.stage(world.nextModule()).change
                world.ask(change.next, times: 6, isLaterBuilt: false)
                try? change.rebuild()
                change.discard()
            }

            #expect(world.picture == before.picture, "seed \(seed * 1000 + kind)")
            #expect(world.live.count == before.live, "seed \(seed * 1000 + kind)")
            try changes.compareWithFresh()
            world.container.close()
        }
    }
}
