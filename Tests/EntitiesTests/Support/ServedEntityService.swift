import AtriumKit
import AtriumNetworking
import AtriumTesting
import Glibc
import TestSupport

@testable import Entities
@testable import URLSessionTransport

/// A live service over the reference server, which goes with it: HTTP and all, somebody signed in.
struct ServedEntityService: WrappedEntityService {
    let server: ReferenceServer
    let api: APIManager
    let service: LiveEntityService

    /// Starts an empty server.
    init() async throws {
        let server = try ReferenceServer { $0.isSeeded = false }
        let transport = URLSessionTransport()
        api = APIManager(
            configuration: try APIConfiguration(url: server.url), transport: { transport },
            tokens: MemoryTokenStore(), clock: RunningClock())
        self.server = server
        service = LiveEntityService(api: api)
        try await signIn()
    }

    private func signIn() async throws {
        let account = ["email": "test@example.com", "password": "correct horse"]
        let signUp = Endpoint<NoAnswer>(.post, "v1/users", body: .json(account), access: .anonymous)
        _ = try await api.request(signUp)
        let grant = TokenGrant.password(username: "test@example.com", password: "correct horse")
        try await api.use(api.obtainTokens(grant))
    }
}

/// The time of the machine, which the server's tokens expire by.
private struct RunningClock: WallClock {
    func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
