import AtriumCommands
@_spi(Host) import AtriumKit
import AtriumModules
import AtriumNavigation
import AtriumNetworking
import AtriumStorage
import Synchronization

/// State that a host keeps for the next one: the session, the stacks of its scenes, and its modules' state.
@MainActor
final class StateFiles {
    private let data: DataFolder
    private let environment: Environment
    private let logger: Logger
    private let session: StateFile
    private var keptSession: StoredSession?
    private var stacks: [String: StackFile] = [:]
    private var keptModulesAt = ContinuousClock.now
    /// Called when a user has signed in or out.
    var sessionDidChange: () -> Void = {}

    // Each environment has separate users and data, so also separate stacks and a session.
    init(_ data: DataFolder, environment: Environment, logger: Logger) {
        (self.data, self.environment, self.logger) = (data, environment, logger)
        session = StateFile(path: data.path("session-\(environment.rawValue).json"), isDurable: true)
    }

    /// Restores the session that an earlier process kept; a damaged file is renamed and reported.
    func restoreSession(report: (any ExplainedError) -> Void) throws(StorageError) {
        keptSession = try session.load(report: report)
        SessionManager.shared.restore(keptSession)
        forgetAnswers()
        // A failure is reported after the command, which tries again.
        SessionManager.shared.didChange = { [weak self] in
            try? self?.keepSession()
            self?.sessionDidChange()
        }
    }

    /// Restores the stack of a scene; a damaged file is renamed and reported.
    func restoreStack(
        of scene: String, report: (any ExplainedError) -> Void
    ) throws(StorageError) -> NavigationState {
        let file = stackFile(of: scene)
        let state = try file.load(report: report)
        stacks[scene] = file
        return state ?? NavigationState()
    }

    /// Takes over the session and the stacks of scenes from files that were exchanged.
    func reload(_ scenes: [Scene], report: (any ExplainedError) -> Void) {
        for scene in scenes where stacks[scene.name] != nil {
            do {
                scene.coordinator.replaceStack(with: try restoreStack(of: scene.name, report: report))
            } catch {
                report(error)
            }
        }
        do {
            keptSession = try session.load(report: report)
            SessionManager.shared.restore(keptSession)
        } catch {
            report(error)
        }
    }

    private func stackFile(of scene: String) -> StackFile {
        let name =
            scene == Scene.main
            ? "navigation-\(environment.rawValue).json" : "\(scenePrefix)\(scene).json"
        return StackFile(StateFile(path: data.path(name), isDurable: false), isNamed: scene != Scene.main)
    }

    private var scenePrefix: String { "scene-\(environment.rawValue)-" }

    /// Forgets the stack of a scene.
    ///
    /// - Throws: `StorageError` if its file can't be read or removed; the file then stays.
    func forgetStack(of scene: String) throws(StorageError) {
        let file = stacks[scene] ?? stackFile(of: scene)
        // The file removes only what it has loaded.
        _ = try file.load { _ in }
        try file.remove()
        stacks[scene] = nil
    }

    /// The named scenes with saved stacks, each with its current link, or the reason its file can't be read.
    func keptScenes(where isWanted: (String) -> Bool) -> [String: Result<String, StorageError>] {
        let names = (Folder.names(in: data.path) ?? []).compactMap { file -> String? in
            guard file.hasPrefix(scenePrefix), file.hasSuffix(".json") else { return nil }
            return String(file.dropFirst(scenePrefix.count).dropLast(".json".count))
        }
        return names.filter(isWanted).reduce(into: [:]) { links, name in
            links[name] = Result { () throws(StorageError) -> String in
                try stackFile(of: name).peek()?.entries.last?.link ?? "home"
            }
        }
    }

    /// Saves the session, and the stacks and the modules' state if due.
    ///
    /// Unless urgent, saves a stack at most every 100 ms and for a tenth of the time, as a deep one takes
    /// long. Saves the modules' state only if urgent and at most every second, as it may have changed
    /// unnoticed.
    func keep(_ scenes: [Scene], _ changes: ModuleManager, isUrgent: Bool) throws {
        try keepSession()
        if isUrgent, .now - keptModulesAt > .seconds(1) {
            for problem in changes.keepStates() { scenes.first?.coordinator.reportError?(problem) }
            keptModulesAt = .now
        }
        for scene in scenes { try stacks[scene.name]?.keep(scene.coordinator, isUrgent: isUrgent) }
    }

    private func keepSession() throws {
        let (current, former) = (SessionManager.shared.stored, keptSession)
        guard current != former else { return }
        try session.save(current)
        keptSession = current
        if former?.user.id != current?.user.id { forgetAnswers() }
    }

    /// Removes the answers kept for other users; a removal that fails is retried at the next start or sign-in.
    private func forgetAnswers() {
        guard environment == .live else { return }
        // Here, not by the repositories: their modules may not be loaded.
        for error in AnswerCopies.forget(allBut: keptSession?.user.id, in: data) {
            let why = (error as? any ExplainedError)?.message ?? "\(error)"
            logger.warning("The answers kept for the former user could not be removed: \(why)")
        }
    }
}

/// Keeps the stack of a scene.
@MainActor
private final class StackFile {
    private let file: StateFile
    private let isNamed: Bool
    private var keptAt = ContinuousClock.now - .seconds(1)
    /// The least time between two saves while a script runs.
    private var pause = Duration.milliseconds(100)

    init(_ file: StateFile, isNamed: Bool) { (self.file, self.isNamed) = (file, isNamed) }

    func load(report: (any ExplainedError) -> Void) throws(StorageError) -> NavigationState? {
        try file.load(report: report)
    }

    func peek() throws(StorageError) -> NavigationState? { try file.peek() }

    func remove() throws(StorageError) { try file.remove() }

    func keep(_ coordinator: Coordinator, isUrgent: Bool) throws {
        guard coordinator.needsArchiving, isUrgent || .now - keptAt > pause else { return }
        let start = ContinuousClock.now
        defer {
            keptAt = .now
            pause = max(.milliseconds(100), start.duration(to: keptAt) * 9)
        }
        let archive = coordinator.archive()
        // A named scene at the root is forgotten.
        if isNamed, archive.entries.isEmpty, archive.ahead.isEmpty, archive.waitingLinks.isEmpty {
            return try file.remove()
        }
        do {
            try file.save(archive, reduced: coordinator.reduced)
        } catch is EncodingError {
            try file.save(coordinator.savable(archive), reduced: coordinator.reduced)
        }
    }
}

/// Keeps the tokens of the signed-in user for one server; no other server sees them.
final class TokenFile: TokenStore {
    private let server: String
    private let file: Mutex<StateFile>
    /// The tokens read at the start, until the first `load()` takes them.
    private let read = Mutex<Stored?>(nil)

    private struct Stored: Codable {
        let server: String
        let tokens: AccessTokens
    }

    init(_ path: String, server: String) {
        self.server = server
        file = Mutex(StateFile(path: path, isDurable: true))
    }

    /// Reads the tokens at the start; a damaged file is renamed and reported.
    ///
    /// - Throws: `StorageError` if the file can't be read; the file and the sign-in stay.
    func prepare(report: (any ExplainedError) -> Void) throws {
        var problem: (any ExplainedError)?
        let stored = try file.withLock { try $0.load(Stored.self) { problem = $0 } }
        if let problem { report(problem) }
        read.withLock { $0 = stored }
    }

    func load() throws -> AccessTokens? {
        if let stored = read.withLock({ stored in
            defer { stored = nil }
            return stored
        }) {
            return stored.server == server ? stored.tokens : nil
        }
        var problem: (any ExplainedError)?
        let stored = try file.withLock { try $0.load(Stored.self) { problem = $0 } }
        if let problem { throw problem }
        return stored.flatMap { $0.server == server ? $0.tokens : nil }
    }

    func save(_ tokens: AccessTokens) throws {
        try file.withLock { try $0.save(Stored(server: server, tokens: tokens)) }
    }

    func clear() throws { try file.withLock { try $0.remove() } }
}
