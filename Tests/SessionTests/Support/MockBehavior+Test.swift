@_spi(Host) import AtriumKit
import AtriumTesting

extension MockBehavior {
    /// What a mock does in a test.
    static func test(
        _ kind: MockScenario.Kind = .success, delay: Duration = .zero,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) -> MockBehavior {
        MockBehavior("Service", scenario: MockScenario(kind, delay: delay), clock: FixedClock(), sleep: sleep)
    }
}
