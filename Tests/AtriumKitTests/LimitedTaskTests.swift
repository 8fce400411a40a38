import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Tasks that a start waits for", .timeLimit(.minutes(5)))
@MainActor
struct LimitedTaskTests {
    private let scope = ModuleScope.named("Clockwork")
    private let patience = TestPatience()
    private let gate = AsyncStream<Void>.makeStream()

    private func run() async {
        let gate = gate.stream
        await ActivationContext(Container(environment: .mock), for: scope).run(
            "tick", waitingAtMost: .milliseconds(500), sleep: patience.sleep
        ) {
            for await _ in gate {}
        }
    }

    @Test("A task that takes longer than the limit continues in the background")
    func slow() async {
        let start = Task { await self.run() }
        let limit = await patience.limit()

        patience.end()
        await start.value

        #expect(limit == .milliseconds(500))
        #expect(scope.tasks.names == ["tick"])
        gate.continuation.finish()
        await scope.tasks.finish()
        #expect(scope.tasks.names == [])
    }

    @Test("A task that ends before the limit ends the wait, and cancels the timer")
    func quick() async {
        let start = Task { await self.run() }
        _ = await patience.limit()

        gate.continuation.finish()
        await start.value

        #expect(scope.tasks.names == [])
        await patience.cancellation()
    }
}
