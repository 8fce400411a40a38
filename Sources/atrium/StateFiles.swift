@_spi(Host) import AtriumKit
import AtriumNavigation
import AtriumNetworking
import AtriumRuntime
import AtriumStorage
import Synchronization

@MainActor
final class StateFiles {
    private let navigation: StateFile
    private let session: StateFile
    private var keptSession: StoredSession?
    private var keptStackAt = ContinuousClock.now - .seconds(1)
    /// How long a script runs on before the stack is saved again.
    private var pause = Duration.milliseconds(100)
    private var keptModulesAt = ContinuousClock.now

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
        // A failure is reported after the command, which tries again.
        SessionManager.shared.didChange = { [weak self] in try? self?.keepSession() }
        return (navigation.load { problems.append($0) } ?? NavigationState(), problems)
    }

    /// Saves what has changed; unless urgent, the stack at most every tenth of a second and for a tenth of the time,
    /// as a deep one takes long, and the state of modules at most every second, as nobody knows whether it has
    /// changed.
    func keep(_ coordinator: Coordinator, _ changes: ModuleManager, isUrgent: Bool) throws {
        try keepSession()
        if isUrgent, .now - keptModulesAt > .seconds(1) {
            for problem in changes.keepStates() { coordinator.reportError?(problem) }
            keptModulesAt = .now
        }
        guard coordinator.needsArchiving, isUrgent || .now - keptStackAt > pause else { return }
        let start = ContinuousClock.now
        defer {
            keptStackAt = .now
            pause = max(.milliseconds(100), start.duration(to: keptStackAt) * 9)
        }
        let archive = coordinator.archive()
        do {
            try navigation.save(archive)
        } catch is EncodingError {
            try navigation.save(coordinator.savable(archive))
        }
    }

    private func keepSession() throws {
        let current = SessionManager.shared.stored
        guard current != keptSession else { return }
        try session.save(current)
        keptSession = current
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
