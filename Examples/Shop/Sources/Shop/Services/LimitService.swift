import AtriumKit

/// The limit of a purchase for users who set none, in euros.
protocol LimitService: Sendable {
    func limit() async throws -> Int
}

/// The limit of `modules.json`.
struct ConfiguredLimit: LimitService {
    let configuration: Configuration

    func limit() -> Int { configuration.int("limit") ?? 500 }
}

/// The limit of another service; a euro in scenario edge.
struct MockLimitService: LimitService {
    let source: any LimitService
    let behavior: MockBehavior

    func limit() async throws -> Int {
        try await behavior.play(
            "limit", failingWith: ServiceError.unavailable("The limit service", mock: "LimitService"))
        return behavior.scenario.kind == .edge ? 1 : try await source.limit()
    }
}
