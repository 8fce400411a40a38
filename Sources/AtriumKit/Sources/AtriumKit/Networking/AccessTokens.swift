/// What a server gave to somebody who proved who they are (RFC 6749, section 5.1).
///
/// Secret: descriptions and mirrors hide the tokens.
public struct AccessTokens: Sendable, Hashable, Codable {
    /// Tells these tokens, and those that they are renewed by, apart from those of another sign-in; no secret.
    public let id: String
    /// Goes with each request (RFC 6750).
    public let accessToken: String
    /// Gets new tokens; nil where they can't be renewed.
    public let refreshToken: String?
    /// When the access token expires; nil where neither the answer nor the token says.
    public let expiresAt: Timestamp?
    /// When the refresh token expires; nil where the answer does not say.
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

/// What tokens are asked for with.
public enum TokenGrant: Sendable {
    /// The name and password of a person (RFC 6749, section 4.3).
    case password(username: String, password: String)
}

/// What happens to the tokens of who is signed in, besides what services do themselves.
public enum TokenEvent: Sendable, Hashable {
    /// They were renewed.
    case refreshed
    /// The server refuses them, and they can't be renewed: whoever was signed in no longer is.
    case ended(id: String)
}
