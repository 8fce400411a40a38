@_spi(Host) package import AtriumKit
internal import Synchronization

/// The tokens in use, and the decisions which token a request gets and when tokens are refreshed.
///
/// A pure value: ``APIManager`` performs what it decides.
struct CurrentTokens {
    /// The tokens of the signed-in user.
    private(set) var tokens: AccessTokens?
    /// The number of token changes; identifies the tokens that a request was sent with.
    private(set) var generation = 0
    /// True if the server has refused the access token.
    private var isRefused = false
    /// The time from which the tokens are refreshed before use.
    private var refreshAt: Timestamp?
    private let leeway: Duration

    /// The maximum number of refreshes that one call waits for: before it is sent, after a refusal, and one
    /// more if the tokens of another process turn out to be expired.
    private static let refreshesPerCall = 3

    init(leeway: Duration) {
        self.leeway = leeway
    }

    /// The next step of a call.
    enum Decision: Sendable {
        /// Sends its request with this access token.
        case send(String?)
        /// Waits until these tokens are refreshed, then decides again.
        case refresh(AccessTokens)
    }

    /// The reason a call can't be sent.
    enum Failure: Error, Hashable {
        case notSignedIn
        /// The user has changed since the call began.
        case signInChanged
        /// The server refuses the tokens, even refreshed ones.
        case refused
    }

    /// The reaction to a response with status 401.
    enum RefusalDecision: Sendable, Hashable {
        case retry
        case fail
        /// The tokens are useless and can't be refreshed: the sign-in ends.
        case endSignIn
    }

    func decide(_ state: inout AuthState, now: Timestamp) throws(Failure) -> Decision {
        switch state.access {
        case .anonymous: return .send(nil)
        case .explicit(let tokens): return .send(tokens.accessToken)
        case .optional, .required: break
        @unknown default: break
        }
        guard state.signIn == tokens?.id else { throw .signInChanged }
        guard let tokens else {
            if state.access == .required { throw .notSignedIn }
            return .send(nil)
        }
        let isExpired = refreshAt.map { $0 <= now } ?? false
        let isDue = isRefused || isExpired && state.refreshes < Self.refreshesPerCall - 1
        guard isDue, tokens.refreshToken != nil || isRefused else {
            state.sentGeneration = generation
            return .send(tokens.accessToken)
        }
        guard state.refreshes < Self.refreshesPerCall, tokens.refreshToken != nil else { throw .refused }
        state.refreshes += 1
        return .refresh(tokens)
    }

    /// Records that the server refused the token of an attempt.
    mutating func didRefuse(_ state: inout AuthState) -> RefusalDecision {
        guard let sent = state.sentGeneration else { return .fail }
        guard sent == generation, let tokens else {
            state.lateRefusals += 1
            return state.lateRefusals <= 2 ? .retry : .fail
        }
        isRefused = true
        state.refusals += 1
        guard tokens.refreshToken != nil else { return .endSignIn }
        return state.refusals == 1 ? .retry : .fail
    }

    /// True if tokens that were being refreshed are still in use.
    func isCurrent(_ spent: AccessTokens) -> Bool {
        tokens?.id == spent.id && tokens?.refreshToken == spent.refreshToken
    }

    /// Replaces the tokens.
    ///
    /// If newly issued tokens are already expired, the clocks differ and the expiry is ignored.
    mutating func install(_ tokens: AccessTokens?, now: Timestamp, areNew: Bool) {
        self.tokens = tokens
        generation += 1
        isRefused = false
        refreshAt = tokens?.expiresAt.flatMap { expiry in
            let life = Duration.microseconds(expiry.microseconds.subtractingClamped(now.microseconds))
            guard life > .zero else { return areNew ? nil : expiry }
            return Timestamp(
                microseconds: expiry.microseconds.subtractingClamped(min(leeway, life / 4).wholeMicroseconds))
        }
    }
}

/// The authorization of one call over all its attempts.
struct AuthState: Sendable {
    let access: APIAccess
    /// The sign-in when the call began; no request is sent again as another user's.
    let signIn: String?
    /// The generation of the tokens of the last attempt; nil without tokens.
    var sentGeneration: Int?
    /// The number of refreshes that the call has waited for.
    var refreshes = 0
    /// The number of refusals of the tokens in use at that time.
    var refusals = 0
    /// The number of refusals of tokens that had been replaced meanwhile.
    var lateRefusals = 0

    init(_ access: APIAccess, signIn: String?) {
        self.access = access
        self.signIn = signIn
    }
}

/// Stores tokens between runs, for all processes of one user.
///
/// The calls are synchronous, so that the tokens in use and the stored ones change in one step.
package protocol TokenStore: Sendable {
    func load() throws -> AccessTokens?
    /// Replaces the stored tokens; after a throw they are unchanged.
    func save(_ tokens: AccessTokens) throws
    func clear() throws
}

package final class MemoryTokenStore: TokenStore {
    private let stored: Mutex<AccessTokens?>

    package init(_ tokens: AccessTokens? = nil) {
        stored = Mutex(tokens)
    }

    package func load() -> AccessTokens? { stored.withLock { $0 } }
    package func save(_ tokens: AccessTokens) { stored.withLock { $0 = tokens } }
    package func clear() { stored.withLock { $0 = nil } }
}
