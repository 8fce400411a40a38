@_spi(Host) import AtriumKit
import AtriumNavigation
import AtriumStorage

/// Where the place and the session are kept between processes.
@MainActor
final class StateFiles {
    private let navigation: StateFile
    private let session: StateFile
    private var keptSession: StoredSession?
    private var keptPlace = ContinuousClock.now - .seconds(1)

    init(_ data: DataFolder, environment: Environment) {
        // Each environment has people and data of its own, so also a place and a session of its own.
        navigation = StateFile(path: data.path("navigation-\(environment.rawValue).json"), isDurable: false)
        session = StateFile(path: data.path("session-\(environment.rawValue).json"), isDurable: true)
    }

    /// What earlier processes kept; what can't be read is moved aside and reported.
    func restore() -> (navigation: NavigationState, problems: [any ExplainedError]) {
        var problems: [any ExplainedError] = []
        keptSession = session.load { problems.append($0) }
        SessionManager.shared.restore(keptSession)
        return (navigation.load { problems.append($0) } ?? NavigationState(), problems)
    }

    /// Keeps what has changed since the last time; the place at most every tenth of a second unless urgent.
    func keep(_ coordinator: Coordinator, isUrgent: Bool) throws {
        let current = SessionManager.shared.stored
        if current != keptSession {
            try session.save(current)
            keptSession = current
        }
        guard coordinator.needsArchiving, isUrgent || .now - keptPlace > .milliseconds(100) else { return }
        keptPlace = .now
        try navigation.save(try coordinator.archive())
    }
}
