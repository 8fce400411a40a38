@_spi(Host) package import AtriumKit
internal import AtriumManifest

/// The client of the server's API: one for the whole host.
///
/// Requests are made ready and answers are decoded where the caller runs; the actor keeps what all calls
/// share, and is entered once before a request is sent and once after. No lock is held and no call waits in
/// it while a request is under way.
package actor APIManager: APIClient {
    /// Finds the transport when it is first needed, and again after ``transportDidChange()``.
    package typealias TransportProvider = @Sendable () async throws -> any HTTPTransport

    package nonisolated let configuration: APIConfiguration
    nonisolated let provider: TransportProvider
    nonisolated let store: any TokenStore
    nonisolated let clock: any WallClock
    nonisolated let uptime: @Sendable () -> Duration
    nonisolated let random: @Sendable () -> UInt64
    nonisolated let sleep: @Sendable (Duration) async throws -> Void
    nonisolated let logger: Logger?
    nonisolated let events = TokenEvents()

    var machine: TokenMachine
    /// Whether the stored tokens were read.
    var hasLoaded = false
    /// Whether the tokens in use could not be stored, so that those in the store are older.
    var isStoreBehind = false
    /// The renewals under way, by the refresh token that each spends.
    var refreshes: [String: Promise<Void>] = [:]
    /// Tokens that were in use of late, the last ones first; taken out of texts that others write.
    var recentSecrets: [String] = []
    var cache: ResponseCache
    var flights = FlightTable()
    var recorder: MetricsRecorder
    var transport: (any HTTPTransport)?
    let transports = SingleFlight<Int, any HTTPTransport>(cancelsWhenAbandoned: false)
    /// Counts the changes of transport.
    var transportGeneration = 0

    /// - Parameters:
    ///   - configuration: The server, and limits.
    ///   - transport: Finds the transport; called when the first request is sent.
    ///   - tokens: Where tokens are kept; read when the first call is made.
    ///   - clock: The time of day, for expiry.
    ///   - uptime: Time that goes on evenly, for limits and measurements.
    ///   - random: 64 random bits, for waits, idempotency keys and ids of sign-ins.
    ///   - sleep: Waits between attempts.
    ///   - logger: Told of renewals and retries; never of secrets.
    package init(
        configuration: APIConfiguration, transport: @escaping TransportProvider, tokens: any TokenStore,
        clock: any WallClock,
        uptime: @escaping @Sendable () -> Duration = { APIManager.start.duration(to: .now) },
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        logger: Logger? = nil
    ) {
        self.configuration = configuration
        provider = transport
        store = tokens
        self.clock = clock
        self.uptime = uptime
        self.random = random
        self.sleep = sleep
        self.logger = logger
        machine = TokenMachine(leeway: configuration.leeway)
        cache = ResponseCache(limit: configuration.cacheLimit)
        recorder = MetricsRecorder(since: clock.now())
    }

    private static let start = ContinuousClock.now

    package nonisolated var server: String? { configuration.base.text }

    /// What happened so far.
    package var metrics: APIMetrics {
        var metrics = recorder.snapshot()
        metrics.waitingForTokens = refreshes.values.reduce(0) { $0 + $1.waiterCount }
        metrics.storedAnswers = cache.count
        metrics.storedBytes = cache.size
        return metrics
    }

    /// Counts from now on.
    package func resetMetrics() {
        recorder.reset(now: clock.now())
    }
}
