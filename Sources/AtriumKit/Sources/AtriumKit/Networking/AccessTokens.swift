/// The tokens of a signed-in user (RFC 6749, section 5.1), which descriptions and mirrors hide.
public struct AccessTokens: Sendable, Hashable, Codable {
    /// The identifier of the sign-in; renewed tokens keep it, and it is not secret.
    public let id: String
    /// The token sent with each request (RFC 6750).
    public let accessToken: String
    /// The token for renewal; nil if the tokens can't be renewed.
    public let refreshToken: String?
    /// When the access token expires; nil if neither the answer nor the token says.
    public let expiresAt: Timestamp?
    /// When the refresh token expires; nil if the answer does not say.
    public let refreshExpiresAt: Timestamp?

    /// Creates tokens; `id` identifies the sign-in and is not secret.
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
    /// The identifier; the tokens are hidden.
    public var description: String { "AccessTokens(id: \(id), tokens: hidden)" }
    public var debugDescription: String { description }
    /// A mirror of the identifier alone, so that `dump` reveals no token.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension SessionCredential {
    /// Creates the credential of a session at a server: the id of its tokens, and the end of their renewal, which
    /// not every server states.
    public init(of tokens: AccessTokens) {
        let end = tokens.refreshToken == nil ? tokens.expiresAt : tokens.refreshExpiresAt
        self.init(token: tokens.id, expiresAt: end ?? Self.unknown)
    }
}

extension APIClient {
    /// Throws ``ServiceError/notAuthenticated`` unless requests carry the tokens of a session, and it has not
    /// expired at `moment`.
    public func requireTokens(of credential: SessionCredential, at moment: Timestamp) async throws {
        guard !credential.isExpired(at: moment), await tokens?.id == credential.token else {
            throw ServiceError.notAuthenticated
        }
    }

    /// True if requests carry the tokens of a session that has not expired at `moment`, and the server accepts
    /// them for `endpoint`.
    public func accepts<Answer>(
        _ credential: SessionCredential, at moment: Timestamp, for endpoint: Endpoint<Answer>
    ) async throws -> Bool {
        do {
            try await requireTokens(of: credential, at: moment)
            _ = try await request(endpoint)
            return true
        } catch let error as ServiceError where error == .notAuthenticated {
            return false
        } catch let error as APIError where error.isUnauthenticated {
            return false
        }
    }
}

/// The credentials for which a server issues tokens.
public enum TokenGrant: Sendable {
    /// The name and password of a user (RFC 6749, section 4.3).
    case password(username: String, password: String)
}

/// A change of the tokens that no service requested.
public enum TokenEvent: Sendable, Hashable {
    /// The tokens were renewed.
    case refreshed
    /// The server refuses the tokens, and they can't be renewed: no user is signed in any more.
    case ended(id: String)
}
