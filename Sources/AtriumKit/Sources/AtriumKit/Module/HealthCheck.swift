/// Tells whether a part of a module works, when the host is asked for its health.
public struct HealthCheck: Sendable {
    /// What is checked, in a word or two.
    public let name: String
    private let check: @MainActor () async throws -> String

    /// - Parameters:
    ///   - name: What is checked, in a word or two.
    ///   - check: Tries it and says in a few words how it is; throws what keeps it from working.
    public init(_ name: String, check: @escaping @MainActor () async throws -> String) {
        self.name = name
        self.check = check
    }

    /// Tries it.
    @_spi(Host) @MainActor public func run() async throws -> String {
        try await check()
    }
}

extension ContributionPoint where Element == HealthCheck {
    /// What command `health` runs.
    public static var healthChecks: ContributionPoint<HealthCheck> { ContributionPoint("health checks") }
}
