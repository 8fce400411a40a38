import AtriumKit

/// What happens to sessions without anybody of this process asking for it.
enum SessionEvent: Hashable, Sendable {
    /// The session with this token is over: the service refuses it from now on.
    case ended(token: String)
    /// The session lasts longer than was known: the same token, a later end.
    case renewed(SessionCredential)
}

/// Why a session ended by itself.
enum SessionEnding: Hashable, Sendable {
    /// Its time was over.
    case expired
    /// The service ended it: signed out elsewhere, or its tokens were refused.
    case refused

    /// The ending as a sentence.
    var text: String {
        switch self {
        case .expired: "Your session has ended."
        case .refused: "Your session was ended by the server."
        }
    }
}
