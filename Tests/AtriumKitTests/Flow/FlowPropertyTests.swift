import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Random moves of a flow")
@MainActor
struct FlowPropertyTests {
    /// The behaviour of a random gate.
    private enum Behaviour: CaseIterable {
        case open, closed, met, slow, deaf
    }

    @MainActor
    private final class World {
        var random: SeededGenerator
        let manager = FlowManager.isolated()
        var asking = 0
        var askedAtOnce = 0
        /// Moves that were started and not awaited.
        var moves: [Task<Void, any Error>] = []

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
        }

        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

        func gate() -> FlowGate {
            switch Behaviour.allCases[pick(Behaviour.allCases.count)] {
            case .open: .open
            case .closed: .requirement { throw GateClosed() }
            case .met: .requirement {}
            case .slow: .work { try await self.wait(isDeaf: false) }
            case .deaf: .work { try await self.wait(isDeaf: true) }
            }
        }

        private func wait(isDeaf: Bool) async throws {
            asking += 1
            askedAtOnce = max(askedAtOnce, asking)
            defer { asking -= 1 }
            for _ in 0..<pick(4) {
                await Task.yield()
                if !isDeaf { try Task.checkCancellation() }
            }
        }
    }

    private func expectSound(_ flow: FlowModel<Voyage>, in world: World) throws {
        let passed = flow.isFinished ? flow.steps : Array(flow.steps.prefix(flow.position - 1))
        #expect(flow.steps[flow.position - 1] == flow.currentStep)
        #expect(Set(flow.completedSteps).isDisjoint(with: flow.skippedSteps))
        #expect(Set(flow.completedSteps + flow.skippedSteps) == Set(passed))
        #expect(flow.completedSteps.count + flow.skippedSteps.count == passed.count)
        #expect(flow.skippedSteps.allSatisfy { $0.isSkippable })
        #expect(!flow.isFinished || (flow.currentStep == .farewell && !flow.isLoading))
        #expect(world.manager.flows == (flow.isFinished ? [] : [flow.progress]))

        let text = try StateCoding.encode(flow.savedState)
        let equal = FlowModel()
        equal.restore(try StateCoding.decode(FlowState<Voyage>.self, from: text))
        #expect(equal.savedState == flow.savedState)
        #expect(equal.currentStep == flow.currentStep)
        #expect(equal.skippedSteps == flow.skippedSteps)
    }

    private func move(_ flow: FlowModel<Voyage>, in world: World, startsOver: Bool) async {
        switch world.pick(startsOver ? 11 : 9) {
        case 0, 1: try? await flow.next()
        case 2, 3: world.moves.append(Task { try await flow.next() })
        case 4: try? flow.back()
        case 5: try? flow.skip()
        case 6: await flow.advancePastOpenGates()
        case 7: world.moves.randomElement(using: &world.random)?.cancel()
        case 8: await Task.yield()
        case 9: if world.pick(3) == 0 { flow.startOver() }
        default: flow.restore(flow.savedState)
        }
    }

    @Test(
        "A flow stays consistent under random moves, some of them concurrent or cancelled",
        arguments: 0..<60 as Range<UInt64>)
    func randomMoves(seed: UInt64) async throws {
        let world = World(seed: seed)
        let startsOver = seed.isMultiple(of: 2)
        var flow: FlowModel<Voyage>? = FlowModel(in: world.manager) { _ in world.gate() }
        weak let released = flow

        for _ in 0..<80 {
            guard let current = flow else { break }
            await move(current, in: world, startsOver: startsOver)
            try expectSound(current, in: world)
            if current.isFinished { current.startOver() }
        }
        for move in world.moves { _ = await move.result }
        if let flow {
            try expectSound(flow, in: world)
            #expect(!flow.isLoading)
        }
        world.moves = []
        flow = nil

        // After starting over, an abandoned gate may still be running.
        if !startsOver { #expect(world.askedAtOnce <= 1) }
        #expect(released == nil)
        #expect(world.manager.modelCount == 0)
    }
}
