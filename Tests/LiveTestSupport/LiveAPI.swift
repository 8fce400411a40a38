package import AtriumNetworking
package import TestSupport
internal import URLSessionTransport

/// The host's API client over the real transport, as one device that talks to a server.
package enum LiveAPI {
    /// A device of its own: no tokens, no stored answers.
    package static func device(of server: ReferenceServer) throws -> APIManager {
        let transport = URLSessionTransport()
        return APIManager(
            configuration: try APIConfiguration(url: server.url), transport: { transport },
            tokens: MemoryTokenStore(), clock: SystemTime())
    }

    /// The server that tests share which leave it as it is.
    package static func shared() throws -> ReferenceServer {
        try server.get()
    }

    private static let server = Result { try ReferenceServer() }
}
