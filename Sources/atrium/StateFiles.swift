@_spi(Host) import AtriumKit
import AtriumNavigation
import AtriumNetworking
import AtriumStorage
import Synchronization

@MainActor
final class StateFiles {
    private let navigation: StateFile
    private let session: StateFile
    private var keptSession: StoredSession?
    private var keptStackAt = ContinuousClock.now - .seconds(1)

    init(_ data: DataFolder, environment: Environment) {
        // Each environment has people and data of its own, so also a stack and a session.
        navigation = StateFile(path: data.path("navigation-\(environment.rawValue).json"), isDurable: false)
        session = StateFile(path: data.path("session-\(environment.rawValue).json"), isDurable: true)
    }

    /// Restores what earlier processes kept; files that can't be read are renamed and reported.
    func restore() -> (navigation: NavigationState, problems: [any ExplainedError]) {
        var problems: [any ExplainedError] = []
        keptSession = session.load { problems.append($0) }
        SessionManager.shared.restore(keptSession)
        return (navigation.load { problems.append($0) } ?? NavigationState(), problems)
    }

    /// Saves what has changed; the stack at most every tenth of a second unless urgent.
    func keep(_ coordinator: Coordinator, isUrgent: Bool) throws {
        let current = SessionManager.shared.stored
        if current != keptSession {
            try session.save(current)
            keptSession = current
        }
        guard coordinator.needsArchiving, isUrgent || .now - keptStackAt > .milliseconds(100) else { return }
        keptStackAt = .now
        try navigation.save(try coordinator.archive())
    }
}

/// Keeps the tokens of the signed-in person for one server: no other server sees them.
final class TokenFile: TokenStore {
    private let server: String
    private let file: Mutex<StateFile>

    private struct Stored: Codable {
        let server: String
        let tokens: AccessTokens
    }

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

    func clear() throws { file.withLock { $0.remove() } }
}
