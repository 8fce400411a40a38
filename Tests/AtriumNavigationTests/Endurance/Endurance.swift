@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

/// Repeats a navigation many times and checks that no memory is retained.
@MainActor
final class Endurance {
    static let steps = 3_000
    /// How many bytes a round may add.
    private static let limit = steps * 32 / 4
    let stage: Stage
    let coordinator: Coordinator
    private let population = Population()

    init() throws {
        stage = try Stage()
        coordinator = stage.coordinator
    }

    /// Counts live screens by an object that a task of each holds.
    @MainActor
    private final class Population {
        var total = 0
        var alive = 0
    }

    @MainActor
    private final class Member {
        let population: Population

        init(_ population: Population) {
            self.population = population
            population.total += 1
            population.alive += 1
        }

        isolated deinit { population.alive -= 1 }
    }

    /// Makes the screen of a link run a task that holds the view model and a counted object.
    func occupy(_ link: String) {
        stage.director.builds[link] = { [population] viewModel in
            let member = Member(population)
            viewModel.tasks.run("watch") {
                let (forever, _) = AsyncStream.makeStream(of: Never.self)
                for await _ in forever {}
                withExtendedLifetime((member, viewModel)) {}
            }
        }
    }

    /// Repeats a step in rounds and compares the memory in use after each round.
    ///
    /// Memory that is allocated once, by the allocator or the runtime, shows in one round or two; a leak
    /// shows in every round. So the measure is the median growth of five rounds: the smallest object, leaked
    /// by each step, would be 32 bytes times the number of steps, four times the limit. On a busy machine the
    /// allocator and Dispatch may grow for longer, so up to ten more rounds follow, of which the last five count.
    func run(_ step: (Int) async throws -> Void) async throws {
        // Fills what has a bounded size.
        try await round(step)
        var growths: [Int] = []
        var median = Int.max
        while growths.count < 5 || median >= Self.limit && growths.count < 15 {
            let before = Heap.bytesInUse()
            try await round(step)
            growths.append(Heap.bytesInUse() - before)
            if growths.count >= 5 { median = growths.suffix(5).sorted()[2] }
        }

        #expect(median < Self.limit, "Growth in bytes of each round of \(Self.steps) steps: \(growths).")
        #expect(population.total == (1 + growths.count) * Self.steps)
        #expect(population.alive == 0)
        #expect(coordinator.alive == [])
        #expect(coordinator.leaks == [])
        #expect(coordinator.live.isEmpty && coordinator.waiting.isEmpty && coordinator.allowed.isEmpty)
        #expect(coordinator.unloaded.isEmpty && coordinator.busy.isEmpty && coordinator.outdated.isEmpty)
        #expect(coordinator.state.entries.isEmpty)
    }

    private func round(_ step: (Int) async throws -> Void) async throws {
        for number in 0..<Self.steps { try await self.step(number, step) }
        await settle()
    }

    /// Runs a step, then lets queued jobs run, as the host does between commands.
    ///
    /// Navigation itself doesn't need this, but Dispatch retains the records of as many jobs as were ever
    /// queued at once.
    private func step(_ number: Int, _ step: (Int) async throws -> Void) async throws {
        try await step(number)
        await Task.yield()
        _ = stage.director.takeEvents()
    }

    /// Lets cancelled tasks end.
    private func settle() async {
        for _ in 0..<100_000 where population.alive > 0 { await Task.yield() }
        for _ in 0..<20 { await Task.yield() }
        // The host does this after each command; until then leaks include objects whose tasks have not ended
        // yet.
        #expect(coordinator.takeNewLeaks() == [])
    }
}
