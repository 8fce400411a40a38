internal import AtriumKit
internal import FoundationEssentials

/// What a token endpoint answers (RFC 6749, 5.1).
struct TokenAnswer: Decodable, Sendable {
    let accessToken: String
    let tokenType: String?
    let expiresIn: Double?
    let refreshToken: String?
    let refreshExpiresIn: Double?

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
        case refreshExpiresIn = "refresh_expires_in"
    }

    /// Whether the tokens can be sent: of the type that requests carry, and of its characters (RFC 6750, 2.1).
    var isUsable: Bool {
        let isBearer = tokenType.map { $0.lowercased() == "bearer" } ?? true
        return isBearer && !accessToken.isEmpty && accessToken.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    }

    /// The tokens for use, of the sign-in called `id`.
    ///
    /// Where they renew others and the answer has no refresh token, that of the former ones stays
    /// (RFC 6749, 6).
    func tokens(id: String, renewing former: AccessTokens?, now: Timestamp) -> AccessTokens {
        AccessTokens(
            id: id, accessToken: accessToken, refreshToken: refreshToken ?? former?.refreshToken,
            expiresAt: expiresIn.map { now.adding($0) } ?? JSONWebToken.expiry(of: accessToken),
            refreshExpiresAt: refreshExpiresIn.map { now.adding($0) }
                ?? (refreshToken == nil ? former?.refreshExpiresAt : nil))
    }
}

extension Timestamp {
    /// The moment `seconds` later, at most some 30,000 years.
    fileprivate func adding(_ seconds: Double) -> Timestamp {
        let bounded = seconds.isNaN ? 0 : min(max(seconds, -1e12), 1e12)
        return Timestamp(microseconds: microseconds + Int64(bounded * 1_000_000))
    }
}
