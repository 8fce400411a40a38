/// The tokens of a signed-in person (RFC 6749, section 5.1), which descriptions and mirrors hide.
public struct AccessTokens: Sendable, Hashable, Codable {
    /// Identifies the sign-in; renewed tokens keep it, and it is no secret.
    public let id: String
    /// Goes with each request (RFC 6750).
    public let accessToken: String
    /// Gets new tokens; nil if they can't be renewed.
    public let refreshToken: String?
    /// When the access token expires; nil if neither the answer nor the token says.
    public let expiresAt: Timestamp?
    /// When the refresh token expires; nil if the answer does not say.
    public let refreshExpiresAt: Timestamp?

    public init(
        id: String, accessToken: String, refreshToken: String? = nil, expiresAt: Timestamp? = nil,
        refreshExpiresAt: Timestamp? = nil
    ) {
        self.id = id
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
        self.refreshExpiresAt = refreshExpiresAt
    }
}

extension AccessTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "AccessTokens(id: \(id), tokens: hidden)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// The credentials for which a server gives tokens.
public enum TokenGrant: Sendable {
    /// The name and password of a person (RFC 6749, section 4.3).
    case password(username: String, password: String)
}

/// Changes of the tokens that no service made.
public enum TokenEvent: Sendable, Hashable {
    /// The tokens were renewed.
    case refreshed
    /// The server refuses the tokens, and they can't be renewed: nobody is signed in any more.
    case ended(id: String)
}
