@_spi(Host) import AtriumKit
import AtriumTesting
import Synchronization
import Testing

private struct Unavailable: Error {}
private struct Stubbed: Error {}

@Suite("Scenarios and recorded calls of mock services")
final class MockBehaviorTests: Sendable {
    private let slept = Mutex<[Duration]>([])

    private func director() -> MockDirector {
        MockDirector(clock: FixedClock()) { [unowned self] time in slept.withLock { $0.append(time) } }
    }

    private let key = MockDirector.Key(module: "Shop", service: "PriceService")

    private func behavior(_ director: MockDirector, _ scenario: MockScenario = MockScenario()) -> MockBehavior
    {
        director.behavior(of: key.service, in: key.module, scenario: scenario)
    }

    @Test("A call is recorded with its arguments and scenario, whether it succeeds or fails")
    func recorded() async throws {
        let mock = behavior(director())

        try await mock.play("price", ["id": "1"], failingWith: Unavailable())
        mock.scenario = MockScenario(.error)
        await #expect(throws: Unavailable.self) { try await mock.play("price", failingWith: Unavailable()) }

        #expect(mock.calls.map(\.name) == ["price", "price"])
        #expect(mock.calls.map(\.arguments) == [["id": "1"], [:]])
        #expect(mock.calls.map(\.scenario) == [.success, .error])
        #expect(mock.calls.map(\.number) == [1, 2])
    }

    @Test("Without an error of its own, a mock in scenario 'error' does not answer")
    func unanswered() async throws {
        let mock = behavior(director())

        try await mock.play("price", ["id": "1"])
        mock.scenario = MockScenario(.error)
        let error = await #expect(throws: ServiceError.self) { try await mock.play("price") }

        #expect(mock.calls.map(\.arguments) == [["id": "1"], [:]])
        #expect(error?.code == .serviceUnavailable)
        #expect(error?.message == "The price service does not answer.")
        #expect(error?.hint == "mock set PriceService success")
    }

    @Test("Scenario 'slow' waits for its delay on the given clock")
    func slow() async throws {
        let mock = behavior(director(), MockScenario(.slow, delay: .milliseconds(500)))

        try await mock.play("price", failingWith: Unavailable())

        #expect(slept.withLock { $0 } == [.milliseconds(500)])
    }

    @Test("The next call can be made to fail, once")
    func failNext() async throws {
        let mock = behavior(director())
        mock.failNext(with: Stubbed())

        await #expect(throws: Stubbed.self) { try await mock.play("price", failingWith: Unavailable()) }

        try await mock.play("price", failingWith: Unavailable())
        #expect(mock.callCount == 2)
    }

    @Test("A scenario chosen before a service is built applies to it; a reset restores the service's own")
    func chosenEarly() {
        let director = director()
        director.choose(MockScenario(.edge), for: key)
        #expect(director.scenario(of: key)?.kind == .edge)

        let mock = behavior(director, MockScenario(.slow))

        #expect(mock.scenario.kind == .edge)
        director.reset()
        #expect(mock.scenario.kind == .slow)
        #expect(behavior(director) === mock)
    }

    @Test("The latest 1,000 calls are recorded, and all calls are counted")
    func bounded() async throws {
        let mock = behavior(director())

        for _ in 0..<1_100 { try await mock.play("price", failingWith: Unavailable()) }

        #expect(mock.calls.count == 1_000)
        #expect(mock.calls.first?.number == 101)
        #expect(mock.callCount == 1_100)
    }
}
