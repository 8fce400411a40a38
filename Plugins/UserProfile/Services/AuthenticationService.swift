import AtriumKit

protocol AuthenticationService: Sendable {
    /// True if `credential` proves that its user is signed in.
    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool
}

/// Asks the server whether a session is active.
struct LiveAuthenticationService: AuthenticationService {
    let api: any APIClient
    let clock: any WallClock

    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool {
        guard let credential else { return false }
        return try await ServiceError.explaining("Who is signed in could not be checked") {
            try await api.accepts(credential, at: clock.now(), for: .me)
        }
    }
}

/// Accepts a session until it expires; the Session module checks the token when the host starts.
struct LocalAuthenticationService: AuthenticationService {
    let clock: any WallClock

    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool {
        credential.map { !$0.isExpired(at: clock.now()) } ?? false
    }
}

/// Accepts every session until it expires.
struct MockAuthenticationService: AuthenticationService {
    let behavior: MockBehavior
    let clock: any WallClock

    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool {
        try await behavior.play(
            "isAuthenticated", ["signedIn": credential == nil ? "no" : "yes"],
            failingWith: ServiceError.authentication)
        return try await LocalAuthenticationService(clock: clock).isAuthenticated(credential)
    }
}
