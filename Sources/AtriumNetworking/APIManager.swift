@_spi(Host) package import AtriumKit
internal import AtriumManifest

/// The client of the server's API.
///
/// Requests are prepared and responses decoded on the caller's executor. The actor holds the state that calls
/// share, and a call enters it once before and once after its request:
///
/// - APIManager+Requests: cache, counts.
/// - APIManager+Attempts: attempts, retries and limits of one call.
/// - APIManager+Tokens: authorization, refresh, OAuth.
/// - APIManager+Downloads: responses that go to files.
/// - APIManager+Diagnosis: traces of requests and responses, and the ping.
package actor APIManager: APIClient {
    /// Finds the transport when it is first needed, and again after ``transportDidChange()``.
    package typealias TransportProvider = @Sendable () async throws -> any HTTPTransport

    package nonisolated let configuration: APIConfiguration
    package nonisolated var conventions: APIConventions { configuration.conventions }
    nonisolated let provider: TransportProvider
    nonisolated let store: any TokenStore
    nonisolated let clock: any WallClock
    nonisolated let uptime: @Sendable () -> Duration
    nonisolated let random: @Sendable () -> UInt64
    nonisolated let sleep: @Sendable (Duration) async throws -> Void
    nonisolated let logger: Logger?
    nonisolated let tracer: APITracer?

    var listeners: [AsyncStream<TokenEvent>.Continuation] = []
    var currentTokens: CurrentTokens
    /// True if the stored tokens have been read.
    var hasLoaded = false
    /// True if the stored tokens are older than those in use, because they could not be saved.
    var isStoreBehind = false
    /// The refreshes in flight, by the refresh token that each spends.
    var refreshes: [String: Promise<Void>] = [:]
    /// The latest tokens, newest first; removed from external texts.
    var recentSecrets: [String] = []
    var cache: ResponseCache
    /// The number of changes that have invalidated cached responses.
    var changes = 0
    /// The number of requests so far for cacheable responses.
    var lookups = 0
    var recorder: MetricsRecorder
    var transport: (any HTTPTransport)?
    let transports = SingleFlight<Int, any HTTPTransport>(cancelsWhenAbandoned: false)
    var transportGeneration = 0

    /// - Parameters:
    ///   - configuration: The server, and limits.
    ///   - transport: Finds the transport; called when the first request is sent.
    ///   - tokens: Stores tokens; read by the first call.
    ///   - clock: The time of day, for expiry.
    ///   - uptime: A monotonic clock, for limits and latencies.
    ///   - random: 64 random bits, for backoffs, idempotency keys and ids of sign-ins.
    ///   - sleep: Waits between attempts.
    ///   - logger: Receives refreshes and retries, never secrets.
    ///   - tracer: Prints requests and responses while it is on.
    package init(
        configuration: APIConfiguration, transport: @escaping TransportProvider, tokens: any TokenStore,
        clock: any WallClock,
        uptime: @escaping @Sendable () -> Duration = { APIManager.start.duration(to: .now) },
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        logger: Logger? = nil, tracer: APITracer? = nil
    ) {
        self.configuration = configuration
        provider = transport
        store = tokens
        self.clock = clock
        self.uptime = uptime
        self.random = random
        self.sleep = sleep
        self.logger = logger
        self.tracer = tracer
        currentTokens = CurrentTokens(leeway: configuration.leeway)
        cache = ResponseCache(limit: configuration.cacheLimit)
        recorder = MetricsRecorder(since: clock.now())
    }

    private static let start = ContinuousClock.now

    package nonisolated var server: String? { configuration.base.text }

    package var metrics: APIMetrics {
        var metrics = recorder.snapshot()
        metrics.waitingForTokens = refreshes.values.reduce(0) { $0 + $1.waiterCount }
        metrics.storedAnswers = cache.count
        metrics.storedBytes = cache.size
        return metrics
    }
}

extension APIManager {
    /// Makes the next request find its transport again; requests in flight keep the former one.
    package func transportDidChange() async {
        transport = nil
        transportGeneration += 1
    }

    /// The transport; found once for concurrent callers.
    func currentTransport() async throws -> any HTTPTransport {
        if let transport { return transport }
        let generation = transportGeneration
        return try await transports.run(generation) { try await self.findTransport(generation) }
    }

    private func findTransport(_ generation: Int) async throws -> any HTTPTransport {
        if generation == transportGeneration, let transport { return transport }
        let found = try await provider()
        // After a change of transport, only the callers that waited use this one.
        if generation == transportGeneration { transport = found }
        return found
    }
}
