import AtriumKit

/// Asks the server whether a session is good.
struct LiveAuthenticationService: AuthenticationService {
    private let api: any APIClient
    private let clock: any WallClock

    init(api: any APIClient, clock: any WallClock) {
        self.api = api
        self.clock = clock
    }

    /// Asks only where the credential is that of the tokens which requests carry, and its time not over.
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
            throw ServiceFailure.mapped(error, "Who is signed in could not be checked")
        }
    }
}
