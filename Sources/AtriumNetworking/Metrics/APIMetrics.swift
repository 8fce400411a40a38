package import AtriumKit

/// The counts of the API client since its start or the last reset.
package struct APIMetrics: Sendable, Hashable {
    package var since: Timestamp
    package var endpoints: [Endpoint]
    /// Token refreshes.
    package var refreshes = 0
    package var failedRefreshes = 0
    /// The callers that wait for a token refresh now.
    package var waitingForTokens = 0
    /// The responses in the cache and their size.
    package var storedAnswers = 0
    package var storedBytes = 0

    package struct Endpoint: Sendable, Hashable {
        package let name: EndpointName
        package var counts = EndpointCounts()
        /// The duration of calls to the server, from their start to the complete response.
        package var latency = LatencyHistogram()
    }
}

package struct EndpointCounts: Sendable, Hashable {
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
    /// Calls that shared a request in flight.
    package var joins = 0
    /// Bytes of bodies, without those of files.
    package var sentBytes = 0
    package var receivedBytes = 0
}

/// Counts calls at a limited number of endpoints.
struct MetricsRecorder {
    /// More patterns than this come only from code that makes patterns from values.
    private static let endpointLimit = 500
    private static let others = EndpointName(HTTPMethod(rawValue: "*"), "other endpoints")

    private var endpoints: [EndpointName: APIMetrics.Endpoint] = [:]
    private(set) var since: Timestamp
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

    mutating func reset(now: Timestamp) {
        self = MetricsRecorder(since: now)
    }

    func snapshot() -> APIMetrics {
        APIMetrics(
            since: since,
            endpoints: endpoints.values.sorted {
                ($0.name.pattern, $0.name.method.rawValue) < ($1.name.pattern, $1.name.method.rawValue)
            },
            refreshes: refreshes, failedRefreshes: failedRefreshes)
    }
}
