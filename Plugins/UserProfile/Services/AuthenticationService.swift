import AtriumKit

protocol AuthenticationService: Sendable {
    /// True if `credential` proves that its user is signed in.
    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool
}

/// Asks the server whether a session is active.
struct LiveAuthenticationService: AuthenticationService {
    let api: any APIClient
    let clock: any WallClock

    /// Asks the server only if the credential belongs to the tokens in use and has not expired.
    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool {
        guard let credential, !credential.isExpired(at: clock.now()),
            await api.tokens?.id == credential.token
        else { return false }
        do {
            _ = try await api.request(.me)
            return true
        } catch let error as APIError where error.isUnauthenticated {
            return false
        } catch {
            throw ServiceError.explain(error, "Who is signed in could not be checked")
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
        return credential.map { !$0.isExpired(at: clock.now()) } ?? false
    }
}
