import AtriumKit
import AtriumNetworking
import Foundation
import TestSupport

@testable import URLSessionTransport

/// The host's API client over the real transport, as one device that talks to a server.
enum LiveAPI {
    /// A device of its own: no tokens, no stored answers.
    static func device(of server: ReferenceServer) throws -> APIManager {
        APIManager(
            configuration: try APIConfiguration(url: server.url), transport: { URLSessionTransport() },
            tokens: MemoryTokenStore(), clock: SystemTime())
    }

    /// The server that tests share which leave it as it is.
    static func shared() throws -> ReferenceServer {
        try server.get()
    }

    private static let server = Result { try ReferenceServer() }
}

/// The time of this machine.
struct SystemTime: WallClock {
    func now() -> Timestamp {
        Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
    }
}

/// A text that no other test of this process has.
func unique(_ name: String) -> String {
    "\(name)-\(UUID().uuidString.prefix(8).lowercased())"
}
