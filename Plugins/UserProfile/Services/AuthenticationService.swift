import AtriumKit

/// Tells whether a session is good.
protocol AuthenticationService: Sendable {
    /// Whether `credential` proves that somebody is signed in; nil proves nothing.
    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool
}
