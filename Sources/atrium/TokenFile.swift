import AtriumKit
import AtriumNetworking
import AtriumStorage
import Synchronization

/// Keeps the tokens of who is signed in, for one server: another one never sees them.
final class TokenFile: TokenStore {
    private let server: String
    private let file: Mutex<StateFile>

    private struct Stored: Codable {
        let server: String
        let tokens: AccessTokens
    }

    /// - Parameters:
    ///   - path: The file, which only its owner may read.
    ///   - server: The base URL of the server that the tokens are for.
    init(_ path: String, server: String) {
        self.server = server
        file = Mutex(StateFile(path: path, isDurable: true))
    }

    func load() throws -> AccessTokens? {
        var problem: (any ExplainedError)?
        let stored = file.withLock { $0.load(Stored.self) { problem = $0 } }
        if let problem { throw problem }
        return stored.flatMap { $0.server == server ? $0.tokens : nil }
    }

    func save(_ tokens: AccessTokens) throws {
        try file.withLock { try $0.save(Stored(server: server, tokens: tokens)) }
    }

    func clear() throws {
        file.withLock { $0.remove() }
    }
}
