internal import AtriumKit

/// What one call has been through with its tokens.
struct TokenCourse: Sendable {
    let access: APIAccess
    /// On whose behalf the call is made; decided when it begins and never changed, so that no request of one
    /// person is sent again as another's.
    var signIn = SignIn.undecided
    /// Which tokens the last attempt carried, by their count; nil before the first one and without tokens.
    var carried: Int?
    /// How often a renewal was waited for.
    var renewals = 0
    /// How often the present tokens were refused.
    var refusals = 0
    /// How often tokens were refused that had been replaced meanwhile.
    var lateRefusals = 0

    init(_ access: APIAccess) {
        self.access = access
    }

    enum SignIn: Hashable, Sendable {
        case undecided
        case nobody
        case id(String)
    }
}
