package import AtriumKit

/// The counts of the API client since its start or the last reset.
package struct APIMetrics: Sendable, Hashable {
    package var since: Timestamp
    package var endpoints: [Endpoint]
    /// The most recent failures, the latest last.
    package var failures: [Failure] = []
    package var refreshes = 0
    package var failedRefreshes = 0
    /// The callers waiting for a token refresh now.
    package var waitingForTokens = 0
    /// The responses in the cache and their size.
    package var storedAnswers = 0
    package var storedBytes = 0

    package struct Endpoint: Sendable, Hashable {
        package let name: EndpointName
        /// Calls that ended, with or without an error.
        package var calls = 0
        /// Calls that failed, without cancelled ones.
        package var errors = 0
        /// Attempts after the first of a call.
        package var retries = 0
        /// Responses from the cache.
        package var hits = 0
        /// Cached responses that the server confirmed.
        package var confirmations = 0
        /// The duration of calls to the server, from their start to the complete response.
        package var latency = Latencies()
    }
}

extension APIMetrics {
    /// A call that failed, without secrets.
    package struct Failure: Sendable, Hashable {
        package let time: Timestamp
        package let endpoint: EndpointName
        package let status: Int?
        package let code: ErrorCode
        package let message: String
    }
}

/// The durations of the latest calls.
package struct Latencies: Sendable, Hashable {
    static let limit = 500

    private var latest: [Duration] = []
    private var oldest = 0

    package init() {}

    package mutating func note(_ time: Duration) {
        guard latest.count == Self.limit else { return latest.append(time) }
        latest[oldest] = time
        oldest = (oldest + 1) % Self.limit
    }

    /// The duration that a share of all did not exceed: 0.99 for p99; nil without calls.
    package func percentile(_ share: Double) -> Duration? {
        guard !latest.isEmpty else { return nil }
        let rank = Int((share * Double(latest.count)).rounded(.up))
        return latest.sorted()[max(rank, 1) - 1]
    }
}

/// Counts calls at a limited number of endpoints.
struct MetricsRecorder {
    /// Only code that builds patterns from values exceeds this number of patterns.
    private static let endpointLimit = 500
    private static let others = EndpointName(HTTPMethod(rawValue: "*"), "other endpoints")

    private static let failureLimit = 20

    private var endpoints: [EndpointName: APIMetrics.Endpoint] = [:]
    private var failures: [APIMetrics.Failure] = []
    private let since: Timestamp
    var refreshes = 0
    var failedRefreshes = 0

    init(since: Timestamp) {
        self.since = since
    }

    mutating func note(_ name: EndpointName, _ change: (inout APIMetrics.Endpoint) -> Void) {
        if let index = endpoints.index(forKey: name) { return change(&endpoints.values[index]) }
        let name = endpoints.count < Self.endpointLimit ? name : Self.others
        change(&endpoints[name, default: APIMetrics.Endpoint(name: name)])
    }

    mutating func note(_ failure: APIMetrics.Failure) {
        if failures.count == Self.failureLimit { failures.removeFirst() }
        failures.append(failure)
    }

    func snapshot() -> APIMetrics {
        APIMetrics(
            since: since,
            endpoints: endpoints.values.sorted {
                ($0.name.pattern, $0.name.method.rawValue) < ($1.name.pattern, $1.name.method.rawValue)
            },
            failures: failures, refreshes: refreshes, failedRefreshes: failedRefreshes)
    }
}
