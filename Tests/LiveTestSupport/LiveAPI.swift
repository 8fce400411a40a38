internal import AtriumKit
package import AtriumNetworking
internal import HTTPTransport
package import TestSupport

/// The host's API client over the real transport.
package enum LiveAPI {
    /// Creates a new client without tokens and without cached responses.
    package static func device(of server: ReferenceServer) throws -> APIManager {
        let transport = CurlTransport()
        return APIManager(
            configuration: try APIConfiguration(url: server.url), transport: { transport },
            tokens: MemoryTokenStore(), clock: SystemTime())
    }

    /// Signs a new user up at a server and in.
    package static func signIn(_ api: APIManager) async throws {
        let account = ["email": "test@example.com", "password": "correct horse"]
        let signUp = Endpoint<NoAnswer>(.post, "v1/users", body: .json(account), access: .anonymous)
        _ = try await api.request(signUp)
        let grant = TokenGrant.password(username: "test@example.com", password: "correct horse")
        try await api.use(api.obtainTokens(grant))
    }

    /// A server shared by the tests that don't stop it or change its settings.
    package static func shared() throws -> ReferenceServer {
        try server.get()
    }

    private static let server = Result { try ReferenceServer() }
}
