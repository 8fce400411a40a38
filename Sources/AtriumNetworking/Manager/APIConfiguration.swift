package import AtriumManifest

/// How the server's API is reached.
package struct APIConfiguration: Sendable {
    package var base: ServerURL
    /// The path of the token endpoint (RFC 6749, 3.2), behind the base URL.
    package var tokenPath = "oauth/token"
    /// The path of the revocation endpoint (RFC 7009), behind the base URL.
    package var revokePath = "oauth/revoke"
    /// How long before its expiry an access token is renewed; at most a quarter of its remaining life, so
    /// that short-lived tokens are used too.
    package var leeway = Duration.seconds(10)
    /// What is repeated, and when.
    package var retry = RetryPolicy()
    /// How long all attempts at a call together may take.
    package var timeLimit = Duration.seconds(30)
    /// How long one attempt may take.
    package var attemptLimit = Duration.seconds(15)
    /// How long the transfer of a file may take.
    package var transferLimit = Duration.seconds(600)
    /// The largest answer that is kept in memory, in bytes.
    package var answerLimit = 16 * 1024 * 1024
    /// How much room stored answers have, in bytes; 0 stores none.
    package var cacheLimit = 8 * 1024 * 1024
    /// How the client names itself; nil for what the transport says.
    package var userAgent: String?

    package init(_ base: ServerURL) {
        self.base = base
    }

    package init(url: String) throws(ServerURLError) {
        base = try ServerURL(url)
    }
}
