internal import AtriumKit

/// Counts what happens, within a bound of endpoints.
struct MetricsRecorder {
    /// Patterns are written in code, so more than this come only of one that makes patterns of values.
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
