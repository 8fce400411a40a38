@_spi(Host) internal import AtriumKit
internal import FoundationEssentials

/// The response of a token endpoint (RFC 6749, 5.1); its member names are those of the API's conventions.
struct TokenAnswer: Sendable {
    let accessToken: String
    let tokenType: String?
    let expiresIn: Double?
    let refreshToken: String?
    let refreshExpiresIn: Double?

    /// True if the access token fits a header field, and is a bearer token (RFC 6750, 2.1) if `scheme` is.
    func isUsable(scheme: String?) -> Bool {
        let isOfScheme = tokenType.map { $0.lowercased() == "bearer" } ?? true
        return (isOfScheme || scheme != "Bearer") && !accessToken.isEmpty
            && accessToken.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    }

    /// Returns the tokens of sign-in `id`; without a new refresh token, the former one stays (RFC 6749, 6).
    func tokens(id: String, refreshing former: AccessTokens?, now: Timestamp) -> AccessTokens {
        AccessTokens(
            id: id, accessToken: accessToken, refreshToken: refreshToken ?? former?.refreshToken,
            expiresAt: expiresIn.map { now.adding($0) } ?? JSONWebToken.expiry(of: accessToken),
            refreshExpiresAt: refreshExpiresIn.map { now.adding($0) }
                ?? (refreshToken == nil ? former?.refreshExpiresAt : nil))
    }
}

extension TokenAnswer: AnswerWithConventions {
    init(from decoder: any Decoder) throws {
        let names = APIConventions(of: decoder).authorization
        accessToken = try MemberPath(names.accessTokenMember).decode(String.self, from: decoder)
        tokenType = try MemberPath("token_type").decodeIfPresent(String.self, from: decoder)
        expiresIn = try MemberPath(names.expiresInMember).decodeIfPresent(Seconds.self, from: decoder)?.number
        // Drop a refresh token that can't be used.
        refreshToken =
            names.refreshPath == nil
            ? nil : try MemberPath(names.refreshTokenMember).decodeIfPresent(String.self, from: decoder)
        refreshExpiresIn =
            try MemberPath(names.refreshExpiresInMember).decodeIfPresent(Seconds.self, from: decoder)?.number
    }
}

/// Seconds as a number, or as a text, as some servers send them.
private struct Seconds: Decodable {
    let number: Double

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self), let number = Double(text) {
            self.number = number
        } else {
            number = try container.decode(Double.self)
        }
    }
}

extension Timestamp {
    /// Returns the time `seconds` later, at most 30,000 years.
    fileprivate func adding(_ seconds: Double) -> Timestamp {
        let bounded = seconds.isNaN ? 0 : min(max(seconds, -1e12), 1e12)
        return Timestamp(microseconds: microseconds.addingClamped(Int64(bounded * 1_000_000)))
    }
}

/// Reads a JSON Web Token (RFC 7519) without its key; the server verifies it.
enum JSONWebToken {
    private struct Claims: Decodable {
        let exp: Double?
    }

    /// The claim `exp`, if there is one.
    static func expiry(of token: String) -> Timestamp? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = base64URL(parts[1]),
            let seconds = try? JSONDecoder().decode(Claims.self, from: payload).exp,
            (0...1e12).contains(seconds)
        else { return nil }
        return Timestamp(microseconds: Int64(seconds * 1_000_000))
    }

    /// Base64 with the alphabet for URLs, and without padding (RFC 7515, 2).
    private static func base64URL(_ text: Substring) -> Data? {
        let standard = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: String(standard) + padding)
    }
}
