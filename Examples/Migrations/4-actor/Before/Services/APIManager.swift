import AtriumKit
import Synchronization

/// Sends requests with a token, which it refreshes when it has expired.
///
/// The fault: the lock guards the token, but not the decision to refresh it. Callers who find it expired at the same
/// time all refresh it, and each refresh revokes the token of the one before.
final class APIManager: Sendable {
    private let server: any Server
    private let clock: any WallClock
    private let token = Mutex<Token?>(nil)

    init(server: any Server, clock: any WallClock) {
        self.server = server
        self.clock = clock
    }

    func request<Answer: Sendable>(
        _ send: @escaping @Sendable (any Server, Token) async throws -> Answer,
        completion: @escaping @Sendable (Result<Answer, any Error>) -> Void
    ) {
        let known = token.withLock { $0 }
        let isValid = known.map { $0.expiry > clock.now() } ?? false
        Task {
            do {
                var token = known
                if !isValid { token = try await refresh() }
                guard let token else { throw ServiceError.revokedToken }
                completion(.success(try await send(server, token)))
            } catch {
                completion(.failure(error))
            }
        }
    }

    private func refresh() async throws -> Token {
        let fresh = try await server.refresh()
        token.withLock { $0 = fresh }
        return fresh
    }
}
