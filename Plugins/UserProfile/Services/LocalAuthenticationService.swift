import AtriumKit

/// Believes a session until it expires by the clock.
///
/// Whether the token is known is the Session module's to say; it looks when the host starts.
struct LocalAuthenticationService: AuthenticationService {
    private let clock: any WallClock

    init(clock: any WallClock) {
        self.clock = clock
    }

    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool {
        guard let credential else { return false }
        return !credential.isExpired(at: clock.now())
    }
}
