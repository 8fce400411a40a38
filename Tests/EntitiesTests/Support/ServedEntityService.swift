import AtriumNetworking
import AtriumTesting
import LiveTestSupport
import TestSupport

@testable import AtriumKit
@testable import Entities

/// A live service over HTTP with its own reference server and a signed-in user.
struct ServedEntityService: WrappedEntityService {
    let server: ReferenceServer
    let api: APIManager
    let service: ResourceRecordService<Entity>

    init() async throws {
        let server = try ReferenceServer { $0.isSeeded = false }
        api = try LiveAPI.device(of: server)
        self.server = server
        service = liveEntityService(api)
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
