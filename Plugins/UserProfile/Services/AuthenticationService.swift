import AtriumKit

/// Checks sessions.
protocol AuthenticationService: Sendable {
    /// Whether `credential` proves that somebody is signed in.
    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool
}

/// Asks the server whether a session is active.
struct LiveAuthenticationService: AuthenticationService {
    private let api: any APIClient
    private let clock: any WallClock

    init(api: any APIClient, clock: any WallClock) {
        self.api = api
        self.clock = clock
    }

    /// Asks only if the credential belongs to the tokens in use and has not expired.
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
    private let clock: any WallClock

    init(clock: any WallClock) {
        self.clock = clock
    }

    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool {
        guard let credential else { return false }
        return !credential.isExpired(at: clock.now())
    }
}

/// Accepts every session until it expires.
struct MockAuthenticationService: AuthenticationService {
    private let behavior: MockBehavior
    private let clock: any WallClock

    init(_ behavior: MockBehavior, clock: any WallClock) {
        self.behavior = behavior
        self.clock = clock
    }

    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool {
        try await behavior.play(
            "isAuthenticated", ["signedIn": credential == nil ? "no" : "yes"],
            failingWith: ServiceError.authentication)
        guard let credential else { return false }
        return !credential.isExpired(at: clock.now())
    }
}
