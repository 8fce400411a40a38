@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumNetworking

/// The commands about the server's API.
@MainActor
struct APICommands {
    let host: ShellHost

    var all: [Action] { [api, tokens, reset] }

    private var api: Action {
        Action(
            "api", "Show calls of the server: counts, errors, latencies", effect: .reads
        ) {
            let client = try client
            let metrics = await client.metrics
            return .content(APIViews.metrics(metrics, url: client.configuration.base.text))
        }
    }

    private var tokens: Action {
        Action("api tokens", "Show whose tokens requests carry, without the tokens", effect: .reads) {
            let tokens = try await client.tokens
            return .content(APIViews.tokens(tokens))
        }
    }

    private var reset: Action {
        Action("api reset", "Reset the counters", effect: .changes) {
            try await client.resetMetrics()
            return .content(Content(), "The counters were reset.")
        }
    }

    private var client: APIManager {
        get throws {
            guard host.environment == .live else {
                throw CommandError.otherEnvironment(host.environment, needed: .live, what: "The API is used")
            }
            guard let client = host.api else { throw APIError.noServer }
            return client
        }
    }
}

enum APIViews {
    static func metrics(_ metrics: APIMetrics, url: String) -> Content {
        Content {
            Field("server", url)
            Field("since", metrics.since)
            Field("refreshes", metrics.refreshes)
            Field("failedRefreshes", metrics.failedRefreshes)
            Field("storedAnswers", metrics.storedAnswers)
            Field("storedBytes", metrics.storedBytes)
            if metrics.endpoints.isEmpty { Notice(.information, "No calls yet.") }
            Table(metrics.endpoints, key: "endpoints") {
                Column("endpoint") { "\($0.name)" }
                Column("calls") { $0.calls }
                Column("errors") { $0.errors }
                Column("retries") { $0.retries }
                Column("stored") { $0.hits + $0.confirmations }
                Column("p50") { $0.latency.percentile(0.5).map(Self.milliseconds) }
                Column("p95") { $0.latency.percentile(0.95).map(Self.milliseconds) }
                Column("p99") { $0.latency.percentile(0.99).map(Self.milliseconds) }
            }
        }
    }

    static func tokens(_ tokens: AccessTokens?) -> Content {
        Content {
            if let tokens {
                Field("session", tokens.id)
                Field("accessToken", "hidden")
                Field("expires", tokens.expiresAt)
                Field("refreshToken", tokens.refreshToken.map { _ in "hidden" })
                Field("refreshExpires", tokens.refreshExpiresAt)
            } else {
                Notice(.information, "Nobody is signed in.", hint: "session sign-in --email EMAIL")
            }
        }
    }

    /// `0.42 ms`.
    private static func milliseconds(_ time: Duration) -> String {
        let parts = time.components
        let hundredths = parts.seconds * 100_000 + parts.attoseconds / 10_000_000_000_000
        let digits = String(hundredths % 100)
        return "\(hundredths / 100).\(digits.count == 1 ? "0" : "")\(digits) ms"
    }
}
