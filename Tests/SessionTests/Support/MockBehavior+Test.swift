@_spi(Host) import AtriumKit
import AtriumTesting

extension MockBehavior {
    /// Creates the behavior of a mock without a delay.
    static func test(
        _ kind: MockScenario.Kind = .success, delay: Duration = .zero,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) -> MockBehavior {
        MockBehavior(
            "SessionService", scenario: MockScenario(kind, delay: delay), clock: FixedClock(), sleep: sleep)
    }
}

extension ServiceError {
    /// The error of scenario `error`.
    static let unavailable: ServiceError = .unavailable("The session service", mock: "SessionService")
}
