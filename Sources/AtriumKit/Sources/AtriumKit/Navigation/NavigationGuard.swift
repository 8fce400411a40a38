/// A check that decides whether a destination may be entered, before its screen is built.
///
/// ```swift
/// registry.contribute(to: .guards) { context in
///     let session = context.session
///     return NavigationGuard(.signedIn, "A user is signed in") { _ in
///         session.isSignedIn ? .allow : .redirect(to: "session/sign-in", because: "You are not signed in.")
///     }
/// }
/// ```
///
/// Each navigation evaluates the guards of its destination once, in the order of the contributions; the first
/// that does not allow it decides. A guard changes nothing: it is evaluated again when an entry is restored,
/// for `where LINK`, and when a redirected intent may be resumed. One that does not answer within the host's
/// `--step-timeout` refuses the navigation.
public struct NavigationGuard: Sendable {
    /// The name by which destinations ask for it.
    public let name: GuardName
    /// The condition that it ensures, in one line.
    public let summary: String
    /// The screens that it applies to.
    public let reach: Reach
    private let check: Check

    private enum Check {
        case atOnce(@MainActor (NavigationAttempt) throws -> GuardVerdict)
        case waiting(@MainActor (NavigationAttempt) async throws -> GuardVerdict)
    }

    /// Creates a guard that decides at once; if `check` throws, the navigation fails.
    public init(
        _ name: GuardName, _ summary: String, reach: Reach = .screensThatAsk,
        check: @escaping @MainActor (NavigationAttempt) throws -> GuardVerdict
    ) {
        self.name = name
        self.summary = summary
        self.reach = reach
        self.check = .atOnce(check)
    }

    /// Creates a guard that may wait; if `check` throws, the navigation fails.
    public init(
        _ name: GuardName, _ summary: String, reach: Reach = .screensThatAsk,
        check: @escaping @MainActor (NavigationAttempt) async throws -> GuardVerdict
    ) {
        self.name = name
        self.summary = summary
        self.reach = reach
        self.check = .waiting(check)
    }

    /// Evaluates the guard; rethrows what its check throws, with which the navigation fails.
    ///
    /// Calls `didSuspend` when the check first waits.
    @_spi(Host) @MainActor public func verdict(
        on attempt: NavigationAttempt, within limit: Duration, didSuspend: @MainActor () -> Void
    ) async throws -> GuardVerdict {
        switch check {
        // Most guards; a task costs more than the rest of a navigation's questions.
        case .atOnce(let check): try check(attempt)
        case .waiting(let check):
            try await withTimeLimit(limit, of: "Its check", didSuspend: didSuspend) {
                try await check(attempt)
            }
        }
    }

    /// The screens that a guard applies to.
    @frozen public enum Reach: Sendable, Hashable {
        /// Screens whose destination names it in its `guards`.
        case screensThatAsk
        /// All screens.
        case everyScreen
    }
}

/// A navigation for a guard to decide on.
public struct NavigationAttempt: Sendable {
    /// The destination.
    public let destination: any Destination
    /// Its link.
    public let link: Link
    /// The module that owns the screen.
    public let module: String

    @_spi(Host) public init(destination: any Destination, link: Link, module: String) {
        self.destination = destination
        self.link = link
        self.module = module
    }
}

/// The decision of a guard.
public struct GuardVerdict: Sendable, Hashable {
    @_spi(Host) public let decision: Decision

    private init(_ decision: Decision) {
        self.decision = decision
    }

    /// The destination may be entered.
    public static let allow = GuardVerdict(.allow)

    /// The destination may not be entered, for a reason in a sentence; the hint is a command.
    public static func deny(_ reason: String, hint: String? = nil) -> GuardVerdict {
        GuardVerdict(.deny(reason: reason, hint: hint))
    }

    /// Sends the user to another destination first.
    ///
    /// The intent is kept, also across restarts, and resumed as soon as the guard allows it while the other
    /// destination is current; that entry is replaced, unless it is `staying`.
    public static func redirect(to link: String, because reason: String, staying: Bool = false)
        -> GuardVerdict
    {
        GuardVerdict(.redirect(link: link, reason: reason, stays: staying))
    }

    /// The decisions with their reasons, as the host carries them out.
    @_spi(Host) @frozen public enum Decision: Sendable, Hashable {
        case allow
        case deny(reason: String, hint: String?)
        case redirect(link: String, reason: String, stays: Bool)
    }
}

extension ContributionPoint where Element == NavigationGuard {
    /// The guards of all modules.
    public static var guards: ContributionPoint<NavigationGuard> { ContributionPoint("guards") }
}

/// The name of a guard: `signed-in`.
public struct GuardName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        self.rawValue = value
    }

    public var description: String { rawValue }

    /// Requires a signed-in user.
    public static let signedIn: GuardName = "signed-in"
}
