@_spi(Host) internal import AtriumKit

/// The requests in flight whose responses can be shared and cached.
struct InFlightRequests {
    /// Requests with equal keys share a response.
    struct Key: Hashable, Sendable {
        let cacheKey: CacheKey
        let freshness: APICall.Freshness
        let timeLimit: Duration
        let answerLimit: Int
    }

    /// What the leader of a request gives its followers.
    enum SharedResult: Sendable {
        case ended(Result<HTTPResponse, any Error>)
        /// The leader was cancelled; a follower has to make the request.
        case abandoned
    }

    private struct Request {
        let key: Key
        let path: String
        /// Made when the first follower joins: most requests have none.
        var followers: Promise<SharedResult>?
        /// Whether the resource has changed since the request began.
        var isOutdated = false
    }

    private var requests: [Int: Request] = [:]
    private var joinable: [Key: Int] = [:]
    private var count = 0

    /// How many callers wait for the response of another call.
    var waitingCount: Int { requests.values.reduce(0) { $0 + ($1.followers?.waiterCount ?? 0) } }

    /// Joins the request for `key`, if there is one.
    mutating func join(_ key: Key) -> (promise: Promise<SharedResult>, ticket: Int)? {
        guard let number = joinable[key] else { return nil }
        let promise = requests[number]?.followers ?? Promise<SharedResult>()
        requests[number]?.followers = promise
        return promise.join().map { (promise, $0) }
    }

    /// Begins a request and returns its number.
    mutating func begin(_ key: Key, path: String) -> Int {
        count += 1
        requests[count] = Request(key: key, path: path)
        joinable[key] = count
        return count
    }

    /// Ends a request.
    ///
    /// - Returns: Its followers, and whether its response may be cached.
    mutating func end(_ number: Int) -> (followers: Promise<SharedResult>?, isCurrent: Bool) {
        guard let request = requests.removeValue(forKey: number) else { return (nil, false) }
        if joinable[request.key] == number { joinable[request.key] = nil }
        return (request.followers, !request.isOutdated)
    }

    /// Makes later calls send requests of their own after a change at `path`.
    mutating func invalidate(_ path: String) {
        for (number, request) in requests where PathPrefix.areRelated(request.path, path) { outdate(number) }
    }

    mutating func invalidateAll() {
        for number in requests.keys { outdate(number) }
    }

    private mutating func outdate(_ number: Int) {
        requests[number]?.isOutdated = true
        guard let key = requests[number]?.key, joinable[key] == number else { return }
        joinable[key] = nil
    }
}

/// Where the response to a call comes from.
enum ResponseSource: Sendable {
    indirect case cache(HTTPResponse)
    /// The same request of the same person is in flight.
    case inFlight(Promise<InFlightRequests.SharedResult>, ticket: Int, AuthState.SignIn)
    case server(RequestLeader)
}

/// A call that sends a request for itself and its followers.
///
/// A class for the same reason as ``RequestPlan``.
final class RequestLeader: Sendable {
    /// The number of the request in flight; nil if it is not shared.
    let number: Int?
    let cacheKey: CacheKey?
    /// The cached response that the server may confirm.
    let cached: CachedResponse?
    /// For the first attempt.
    let authorization: Authorization

    init(
        number: Int? = nil, cacheKey: CacheKey? = nil, cached: CachedResponse? = nil,
        authorization: Authorization
    ) {
        self.number = number
        self.cacheKey = cacheKey
        self.cached = cached
        self.authorization = authorization
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
    let leader: RequestLeader
    /// When the call began, in the client's uptime.
    let began: Duration
    var authorization: Authorization
    var attempts = 0

    init(_ plan: RequestPlan, _ leader: RequestLeader, began: Duration) {
        self.plan = plan
        self.leader = leader
        self.began = began
        authorization = leader.authorization
    }

    /// The request of the next attempt.
    func request(token: String?, remaining: Duration) -> HTTPRequest {
        var request = plan.request
        request.timeLimit = min(plan.attemptLimit, remaining)
        if let token { request.fields.append("Authorization", "Bearer \(token)") }
        if let etag = leader.cached?.etag { request.fields.append("If-None-Match", etag) }
        return request
    }
}
