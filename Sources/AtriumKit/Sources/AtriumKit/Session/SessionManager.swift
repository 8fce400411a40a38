public import Observation

/// The session that the host and all modules share; view models read it as ``SessionState``, repositories
/// write it through the ``SessionWriter`` of their context.
@MainActor
@Observable
public final class SessionManager {
    /// The session of this process.
    public static let shared = SessionManager()

    /// Who is signed in; nil for a guest.
    public private(set) var user: SessionUser?

    /// The credential for services, which repositories read through ``SessionWriter``; nil for a guest.
    private(set) var credential: SessionCredential?

    /// The stack of the front end that moved last.
    @ObservationIgnored private weak var stack: (any NavigationStack)?

    /// The stack of the front end whose command runs.
    // architecture: allow singleton, because each task has its own
    @TaskLocal static var runningStack: (any NavigationStack)?

    /// Notified of each change as it happens; observation would be late and coalesce changes.
    @ObservationIgnored let observers = ObserverList<SessionChange>()

    /// Called with each change, before the observers: the host stores the session, so that no process starts with
    /// one that a service has ended for its successor.
    @ObservationIgnored
    @_spi(Host) public var didChange: (@MainActor () -> Void)?

    private init() {}

    /// The links of the stack's entries, the current one last; setting it navigates, and a refusal leaves
    /// both as they are and tells the person why.
    @ObservationIgnored
    public internal(set) var navigationState: NavigationPath {
        get {
            access(keyPath: \.navigationState)
            return presentStack?.path ?? NavigationPath()
        }
        set { if newValue != presentStack?.path { presentStack?.go(to: newValue) } }
    }

    private var presentStack: (any NavigationStack)? { Self.runningStack ?? stack }

    /// Whether the code that runs belongs to a command of the front end with `stack`.
    @_spi(Host) public static func isRunning(on stack: any NavigationStack) -> Bool { runningStack === stack }

    /// Runs a command of the front end with `stack`.
    @_spi(Host) public static func running<Value>(
        on stack: any NavigationStack, _ body: () async -> Value
    ) async -> Value {
        await $runningStack.withValue(stack) { await body() }
    }

    @_spi(Host) public func mirror(_ stack: any NavigationStack) {
        navigationDidChange(stack)
    }

    /// Notifies the observers of ``navigationState`` that the stack has changed.
    @_spi(Host) public func navigationDidChange(_ stack: any NavigationStack) {
        self.stack = stack
        withMutation(keyPath: \.navigationState) {}
    }

    @_spi(Host) public static func isolated() -> SessionManager { SessionManager() }

    func set(user: SessionUser?, credential: SessionCredential?) {
        let former = self.user
        self.user = user
        self.credential = credential
        didChange?()
        if former?.id != user?.id {
            observers.send(user.map(SessionChange.signedIn) ?? .signedOut)
        } else if let user, former != user {
            observers.send(.updated(user))
        }
    }

    /// Restores what an earlier process stored, or clears the session.
    @_spi(Host) public func restore(_ stored: StoredSession?) {
        set(user: stored?.user, credential: stored?.credential)
    }

    /// What to store for the next process; nil for a guest.
    @_spi(Host) public var stored: StoredSession? {
        guard let user, let credential else { return nil }
        return StoredSession(user: user, credential: credential)
    }
}

/// The person of a session.
public struct SessionUser: Sendable, Hashable, Codable {
    /// The account's identifier.
    public let id: String
    public let email: String
    /// The name that views show; nil until a profile has one.
    public var displayName: String?

    public init(id: String, email: String, displayName: String? = nil) {
        self.id = id
        self.email = email
        self.displayName = displayName
    }
}

/// The token of a session and when it ends.
public struct SessionCredential: Sendable, Hashable, Codable {
    /// The secret itself; never shown: ``description`` hides it.
    public let token: String
    /// When the session ends; the end of the year 9999 if nobody knows, see ``hasExpiry``.
    public let expiresAt: Timestamp

    public init(token: String, expiresAt: Timestamp) {
        self.token = token
        self.expiresAt = expiresAt
    }

    /// Makes the credential of a session that lasts until the service ends it.
    public init(token: String) {
        self.init(token: token, expiresAt: Self.unknown)
    }

    private static let unknown = Timestamp(microseconds: 253_402_300_799_000_000)

    /// Whether it is known when the session ends.
    public var hasExpiry: Bool { expiresAt != Self.unknown }

    /// Whether the session has ended at `moment`.
    public func isExpired(at moment: Timestamp) -> Bool { moment >= expiresAt }
}

extension SessionCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "SessionCredential(token: hidden, expiresAt: \(expiresAt))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt]) }
}

@_spi(Host) public struct StoredSession: Sendable, Hashable, Codable {
    public let user: SessionUser
    public let credential: SessionCredential
}

/// The links of a stack's entries, from the root to the current one.
public struct NavigationPath: Codable, Hashable, Sendable {
    public var links: [String]

    /// A path; empty for the root.
    public init(_ links: [String] = []) {
        self.links = links
    }
}

/// The stack of screens, as the session mirrors it.
@MainActor
@_spi(Host) public protocol NavigationStack: AnyObject, Sendable {
    /// The links of its entries.
    var path: NavigationPath { get }
    /// Navigates to other entries; begins soon, and shows the person why if it can't.
    func go(to path: NavigationPath)
}
