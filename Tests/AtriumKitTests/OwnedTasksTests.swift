import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Tasks of a module")
@MainActor
struct OwnedTasksTests {
    private let scope = ModuleScope.named("Clockwork")

    private func run(_ name: String, _ operation: @escaping @MainActor () async -> Void) {
        ActivationContext(Container(environment: .mock), for: scope).run(name, operation)
    }

    @Test("Tasks are listed by name while they run, and not after they have ended")
    func names() async {
        let gates = (0..<2).map { _ in AsyncStream<Void>.makeStream() }
        run("tick") { for await _ in gates[0].stream {} }
        run("chime") { for await _ in gates[1].stream {} }
        var haveEnded = false

        let running = scope.tasks.names
        let waiting = Task {
            await scope.tasks.finish()
            haveEnded = true
        }
        gates[0].continuation.finish()
        _ = await eventually("one has ended") { scope.tasks.count == 1 }
        for _ in 0..<10 { await Task.yield() }
        #expect(!haveEnded)
        gates[1].continuation.finish()
        await waiting.value

        #expect(running == ["chime", "tick"])
        #expect(scope.tasks.names == [])
    }

    @Test("Cancelling the tasks of a module ends them, and no task starts afterwards")
    func cancelling() async {
        var wasCancelled = false
        var hasBegun = false
        run("tick") {
            await withTaskCancellationHandler {
                _ = await eventually("the task is cancelled") { Task.isCancelled }
            } onCancel: {
            }
            wasCancelled = Task.isCancelled
        }

        scope.tasks.cancel()
        run("late") { hasBegun = true }
        await #expect(throws: CancellationError.self) {
            try await scope.tasks.value("late") { hasBegun = true }
        }
        await scope.tasks.finish()

        #expect(wasCancelled)
        #expect(!hasBegun)
        #expect(scope.tasks.names == [])
    }
}
