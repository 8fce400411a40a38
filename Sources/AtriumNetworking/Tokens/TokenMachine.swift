internal import AtriumKit

/// Decides which token a request carries, and when tokens are renewed or given up.
///
/// Does nothing itself.
struct TokenMachine {
    /// Those of who is signed in.
    private(set) var present: AccessTokens?
    /// How often the tokens changed; tells those that a request carried apart from the present ones.
    private(set) var generation = 0
    /// Whether the server has refused the present access token.
    private var isRefused = false
    /// From when on the present tokens are renewed before they are used.
    private var renewAt: Timestamp?
    private let leeway: Duration

    /// How many renewals one call waits for: one before it is sent, one after it was refused, and one for
    /// tokens of another process that turn out to be old as well.
    private static let renewalsPerCall = 3

    init(leeway: Duration) {
        self.leeway = leeway
    }

    /// What a call has to do next.
    enum Step: Sendable {
        /// Be sent, with this access token.
        case send(String?)
        /// Wait for these tokens to be renewed, then ask again.
        case renew(AccessTokens)
        /// End.
        case fail(Failure)
    }

    /// Why a call can't be sent.
    enum Failure: Sendable, Hashable {
        /// Nobody is signed in.
        case nobody
        /// Who was signed in when the call began no longer is.
        case changed
        /// The server refuses the tokens, and renewed ones as well.
        case refused
    }

    /// What follows a status of 401.
    enum Refusal: Sendable, Hashable {
        /// The call takes its next step.
        case again
        /// The call fails.
        case giveUp
        /// The tokens are of no use any more and can't be renewed.
        case end
    }

    mutating func step(_ course: inout TokenCourse, now: Timestamp) -> Step {
        switch course.access {
        case .anonymous: return .send(nil)
        case .explicit(let tokens): return .send(tokens.accessToken)
        case .optional, .required: break
        @unknown default: break
        }
        guard isStill(&course) else { return .fail(.changed) }
        guard let present else { return course.access == .required ? .fail(.nobody) : .send(nil) }
        let isDue = isRefused || isExpired(now) && course.renewals < Self.renewalsPerCall - 1
        guard isDue, present.refreshToken != nil || isRefused else {
            course.carried = generation
            return .send(present.accessToken)
        }
        guard course.renewals < Self.renewalsPerCall, present.refreshToken != nil
        else { return .fail(.refused) }
        course.renewals += 1
        return .renew(present)
    }

    /// Notes that the server refused what a call carried.
    mutating func refuse(_ course: inout TokenCourse) -> Refusal {
        guard let carried = course.carried else { return .giveUp }
        guard carried == generation, let present else {
            course.lateRefusals += 1
            return course.lateRefusals <= 2 ? .again : .giveUp
        }
        isRefused = true
        course.refusals += 1
        guard present.refreshToken != nil else { return .end }
        return course.refusals == 1 ? .again : .giveUp
    }

    /// Whether tokens that were being renewed still are those in use.
    func isPresent(_ spent: AccessTokens) -> Bool {
        present?.id == spent.id && present?.refreshToken == spent.refreshToken
    }

    /// Makes tokens the present ones.
    ///
    /// Where new ones, that the server has just issued, have expired nevertheless, the clocks differ, and when
    /// they expire is not known.
    mutating func install(_ tokens: AccessTokens?, now: Timestamp, areNew: Bool) {
        present = tokens
        generation += 1
        isRefused = false
        renewAt = tokens?.expiresAt.flatMap { expiry in
            let life = Duration.microseconds(expiry.microseconds - now.microseconds)
            guard life > .zero else { return areNew ? nil : expiry }
            return Timestamp(microseconds: expiry.microseconds - min(leeway, life / 4).inMicroseconds)
        }
    }

    private func isExpired(_ now: Timestamp) -> Bool {
        renewAt.map { $0 <= now } ?? false
    }

    private func isStill(_ course: inout TokenCourse) -> Bool {
        let signIn = present.map { TokenCourse.SignIn.id($0.id) } ?? .nobody
        if course.signIn == .undecided { course.signIn = signIn }
        return course.signIn == signIn
    }
}
