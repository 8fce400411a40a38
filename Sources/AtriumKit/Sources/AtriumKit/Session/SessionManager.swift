public import Observation

/// The session that the host and all modules share; view models read it as ``SessionState``, repositories
/// write it through the ``SessionWriter`` of their context.
@MainActor
@Observable
public final class SessionManager {
    /// The session of this process.
    public static let shared = SessionManager()

    /// The signed-in user; nil for a guest.
    public private(set) var user: SessionUser?

    /// The credential for services, which repositories read through ``SessionWriter``; nil for a guest.
    private(set) var credential: SessionCredential?

    /// The stack of the front end that navigated last.
    @ObservationIgnored private weak var stack: (any NavigationStack)?

    /// The stack of the front end whose command is running.
    // architecture: allow singleton, because each task has its own
    @TaskLocal static var runningStack: (any NavigationStack)?

    /// Notified of each change as it happens; observation would be late and coalesce changes.
    @ObservationIgnored let observers = ObserverList<SessionChange>()

    /// Called on each change, before the observers: the host stores the session, so that the next process
    /// can't start with one that a service has ended.
    @ObservationIgnored
    @_spi(Host) public var didChange: (@MainActor () -> Void)?

    private init() {}

    /// The links of the stack's entries, the current one last; setting it navigates, and a refusal leaves
    /// both unchanged and shows the user the reason.
    @ObservationIgnored
    public internal(set) var navigationState: NavigationPath {
        get {
            access(keyPath: \.navigationState)
            return presentStack?.path ?? NavigationPath()
        }
        set { if newValue != presentStack?.path { presentStack?.go(to: newValue) } }
    }

    private var presentStack: (any NavigationStack)? { Self.runningStack ?? stack }

    /// True if the running code belongs to a command of the front end with `stack`.
    @_spi(Host) public static func isRunning(on stack: any NavigationStack) -> Bool { runningStack === stack }

    /// Runs a command of the front end with `stack`.
    @_spi(Host) public static func running<Value>(
        on stack: any NavigationStack, _ body: () async -> Value
    ) async -> Value {
        await $runningStack.withValue(stack) { await body() }
    }

    /// Makes `stack` the one that ``navigationState`` reads.
    @_spi(Host) public func mirror(_ stack: any NavigationStack) {
        navigationDidChange(stack)
    }

    /// Notifies the observers of ``navigationState`` that the stack has changed.
    @_spi(Host) public func navigationDidChange(_ stack: any NavigationStack) {
        self.stack = stack
        withMutation(keyPath: \.navigationState) {}
    }

    /// Returns a session separate from ``shared``, for tests.
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

    /// Restores the session that an earlier process stored; nil clears it.
    @_spi(Host) public func restore(_ stored: StoredSession?) {
        set(user: stored?.user, credential: stored?.credential)
    }

    /// The session to store for the next process; nil for a guest.
    @_spi(Host) public var stored: StoredSession? {
        guard let user, let credential else { return nil }
        return StoredSession(user: user, credential: credential)
    }
}

/// The user of a session.
public struct SessionUser: Sendable, Hashable, Codable {
    /// The account's identifier.
    public let id: String
    public let email: String
    /// The name that views show; nil until a profile has one.
    public var displayName: String?

    /// Decodes a user, whose id may be a whole number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(TextID.self, forKey: .id).wrappedValue
        email = try container.decode(String.self, forKey: .email)
        displayName = try container.decodeIfPresent(String.self, forKey: .displayName)
    }

    /// Creates a user; `id` identifies the account, so that a change of it means another user.
    public init(id: String, email: String, displayName: String? = nil) {
        self.id = id
        self.email = email
        self.displayName = displayName
    }
}

/// The token of a session, and when it ends.
public struct SessionCredential: Sendable, Hashable, Codable {
    /// The secret itself; ``description`` hides it.
    public let token: String
    /// When the session ends; the end of the year 9999 if unknown, see ``hasExpiry``.
    public let expiresAt: Timestamp

    /// Creates the credential of a session that ends at `expiresAt`.
    public init(token: String, expiresAt: Timestamp) {
        self.token = token
        self.expiresAt = expiresAt
    }

    /// Creates the credential of a session that lasts until the service ends it.
    public init(token: String) {
        self.init(token: token, expiresAt: Self.unknown)
    }

    static let unknown = Timestamp(microseconds: 253_402_300_799_000_000)

    /// True if the end of the session is known.
    public var hasExpiry: Bool { expiresAt != Self.unknown }

    /// True if the session has ended at `moment`.
    public func isExpired(at moment: Timestamp) -> Bool { moment >= expiresAt }
}

extension SessionCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The end of the session; the token is hidden.
    public var description: String { "SessionCredential(token: hidden, expiresAt: \(expiresAt))" }
    public var debugDescription: String { description }
    /// A mirror of the end alone, so that `dump` does not reveal the token.
    public var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt]) }
}

/// A session as the host stores it for the next process.
@_spi(Host) public struct StoredSession: Sendable, Hashable, Codable {
    public let user: SessionUser
    public let credential: SessionCredential
}

/// The links of a stack's entries, from the root to the current one.
public struct NavigationPath: Codable, Hashable, Sendable {
    /// The links in stack order, the current one last.
    public var links: [String]

    /// Creates a path; empty for the root.
    public init(_ links: [String] = []) {
        self.links = links
    }
}

/// The stack of screens, as the session mirrors it.
@MainActor
@_spi(Host) public protocol NavigationStack: AnyObject, Sendable {
    /// The links of its entries.
    var path: NavigationPath { get }
    /// Navigates to other entries, asynchronously; shows the user the reason if it can't.
    func go(to path: NavigationPath)
}
