@_spi(Host) import AtriumKit
import AtriumTesting

@testable import Entities

extension MockEntityService {
    /// Creates a mock; `sleep` performs the delay of scenario slow.
    init(
        scenario: MockScenario = MockScenario(), clock: any WallClock, entities: [Entity]? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.init(
            behavior: MockBehavior("EntityService", scenario: scenario, clock: clock, sleep: sleep),
            clock: clock, entities: entities)
    }
}
