@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

/// Repeats something on a stage and looks at what is still there.
@MainActor
final class Endurance {
    static let steps = 3_000
    let stage: Stage
    let coordinator: Coordinator
    private let population = Population()

    init() throws {
        stage = try Stage()
        coordinator = stage.coordinator
    }

    /// Counts the screens that live, by objects that their tasks hold.
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

    /// Has the screen of a link run a task that holds the view model and an object of its own.
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

    /// Does something often, in rounds, and compares the memory in use after each.
    ///
    /// What is kept once, as the allocator and the runtime do, shows in one round or two; what is kept each time
    /// shows in every round. So the measure is the median growth of the rounds: the smallest object, kept by
    /// each step, would be 32 bytes times the number of steps, four times as much as is allowed.
    func run(_ step: (Int) async throws -> Void) async throws {
        // Fills what keeps a bounded amount, as the journal does.
        try await round(step)
        var growths: [Int] = []
        for _ in 0..<5 {
            let before = Heap.bytesInUse()
            try await round(step)
            growths.append(Heap.bytesInUse() - before)
        }

        #expect(
            growths.sorted()[2] < Self.steps * 32 / 4,
            "Bytes more after \(Self.steps) steps, each time: \(growths).")
        #expect(population.total == 6 * Self.steps)
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

    /// Does a step, and gives what it has queued a turn, as the host does between commands.
    ///
    /// A navigation itself needs none, and Dispatch keeps the records of queued jobs for later, as many as ever
    /// waited at once.
    private func step(_ number: Int, _ step: (Int) async throws -> Void) async throws {
        try await step(number)
        await Task.yield()
        _ = stage.director.takeEvents()
    }

    /// Lets tasks end that were cancelled, and empties the journal, which keeps more or less of the last steps.
    private func settle() async {
        coordinator.journal.clear()
        for _ in 0..<100_000 where population.alive > 0 { await Task.yield() }
        for _ in 0..<20 { await Task.yield() }
        // As the host does after each command; until then all are noted whose tasks had no turn to end.
        #expect(coordinator.takeNewLeaks() == [])
    }
}
