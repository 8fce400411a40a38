@_spi(Host) internal import AtriumKit

enum ResponseSource: Sendable {
    indirect case cache(HTTPResponse)
    /// The server, with the authorization of the first attempt; no look-up if the cache is not used.
    case server(CacheLookup?, Authorization)
}

/// The result of the cache look-up for a call.
///
/// A class for the same reason as ``RequestPlan``.
final class CacheLookup: Sendable {
    let key: CacheKey
    /// A stale response that the server may confirm.
    let response: CachedResponse?
    /// The number of changes so far; after another one, the server's response is not cached.
    let changes: Int
    /// The sequence number: a response does not replace that of a later look-up.
    let order: Int

    init(_ key: CacheKey, _ response: CachedResponse?, changes: Int, order: Int) {
        self.key = key
        self.response = response
        self.changes = changes
        self.order = order
    }
}

/// The token and transport of an attempt.
///
/// A class for the same reason as ``RequestPlan``.
final class Authorization: Sendable {
    let authState: AuthState
    let token: Token
    /// Nil if it has to be found first.
    let transport: (any HTTPTransport)?

    init(_ authState: AuthState, token: Token, transport: (any HTTPTransport)?) {
        self.authState = authState
        self.token = token
        self.transport = transport
    }

    enum Token: Sendable {
        case access(String?)
        /// The attempt waits for a refresh first.
        case refreshing(Promise<Void>, ticket: Int)
    }
}

/// The attempts of one call.
struct Exchange: Sendable {
    let plan: RequestPlan
    let lookup: CacheLookup?
    var authorization: Authorization
    /// The start of the call, in the client's uptime.
    let began: Duration
    var attempts = 0
    /// The error of the last failed attempt that may have been performed.
    var doubt: APIError?

    /// The error of the call, if its last attempt failed with `error`.
    ///
    /// A later attempt may fail only because the lost one succeeded, so its answer proves nothing.
    func outcome(_ error: any Error) -> any Error {
        // A change that reads first has not been sent.
        guard plan.isChange else { return (error as? APIError)?.settled(.notMade) ?? error }
        if error is CancellationError { return attempts > 0 ? APIErrors.cancelled(plan) : error }
        guard let error = error as? APIError else { return error }
        guard let doubt else { return error.settled(.notMade) }
        let isTold = (error.cause as? TransportError).map { !$0.neverSent } ?? false
        return (isTold ? error : APIErrors.unknown(doubt, later: error)).settled(.unknown)
    }

    /// The request of the next attempt.
    func request(token: String?, remaining: Duration) -> HTTPRequest {
        var request = plan.request
        request.timeLimit = min(plan.attemptLimit, remaining)
        if let token { request.fields.append(plan.wire.header, plan.wire.prefix + token) }
        if let etag = lookup?.response?.etag { request.fields.append("If-None-Match", etag) }
        return request
    }
}
