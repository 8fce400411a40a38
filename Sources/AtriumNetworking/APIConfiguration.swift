package import AtriumKit
package import AtriumManifest

/// The server's API and the limits of calls to it.
package struct APIConfiguration: Sendable {
    package var base: ServerURL
    /// The path of the token endpoint (RFC 6749, 3.2), behind the base URL.
    package var tokenPath = "oauth/token"
    /// The path of the revocation endpoint (RFC 7009), behind the base URL.
    package var revokePath = "oauth/revoke"
    /// How long before its expiry an access token is refreshed; at most a quarter of its remaining life.
    package var leeway = Duration.seconds(10)
    package var retry = RetryPolicy()
    /// The limit for all attempts of a call.
    package var timeLimit = Duration.seconds(30)
    /// The limit for one attempt.
    package var attemptLimit = Duration.seconds(15)
    /// The limit for the transfer of a file.
    package var transferLimit = Duration.seconds(600)
    /// The size of the largest response, in bytes.
    package var answerLimit = 16 * 1024 * 1024
    /// Whom requests trust; nil for the authorities of the system.
    package var tls: TLSSettings?
    /// The size of the cache, in bytes; 0 caches nothing.
    package var cacheLimit = 8 * 1024 * 1024

    package init(_ base: ServerURL) {
        self.base = base
    }

    package init(url: String) throws(ServerURLError) {
        base = try ServerURL(url)
    }
}
