@_spi(Host) package import AtriumKit
package import AtriumNetworking

@MainActor
package enum MockViews {
    package static func list(_ services: [MockDirector.Key], _ mocks: MockDirector) -> Content {
        Content {
            if services.isEmpty { Notice(.information, "No active module has a service.", hint: "modules") }
            Table(services) {
                Column("service") { $0.service }
                Column("module") { $0.module }
                Column("scenario") { mocks.scenario(of: $0)?.kind.rawValue ?? "as configured" }
                Column("delay") { mocks.scenario(of: $0).flatMap(Self.delay) }
                Column("calls") { mocks.behavior(of: $0)?.callCount ?? 0 }
            }
        }
    }

    package static func calls(of services: [MockDirector.Key], _ mocks: MockDirector, last: Int) -> Content {
        let all = services.flatMap { key in
            (mocks.behavior(of: key)?.calls ?? []).map { (key: key, call: $0) }
        }.sorted { ($0.call.at, $0.key, $0.call.number) < ($1.call.at, $1.key, $1.call.number) }
        let count = services.reduce(0) { $0 + (mocks.behavior(of: $1)?.callCount ?? 0) }
        return Content {
            if all.isEmpty { Notice(.information, "No calls yet.") }
            Table(all.suffix(last)) {
                Column("number") { $0.call.number }
                Column("service") { $0.key.service }
                Column("call") { $0.call.name }
                Column("arguments") { text(of: $0.call.arguments) }
                Column("scenario") { $0.call.scenario.rawValue }
            }
            if count > last, !all.isEmpty { Text("The last \(min(last, all.count)) of \(count) calls.") }
        }
    }

    private static func delay(_ scenario: MockScenario) -> String? {
        scenario.kind == .slow ? "\(scenario.delay.secondsText) s" : nil
    }

    private static func text(of arguments: [String: String]) -> String? {
        guard !arguments.isEmpty else { return nil }
        return arguments.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    }
}

package enum APIViews {
    /// The metrics, whose tokens are sent, and the names of the other APIs in use.
    package static func metrics(
        _ metrics: APIMetrics, url: String, _ tokens: AccessTokens?, others: [String]
    ) -> Content {
        Content {
            Field("server", url)
            if !others.isEmpty { Field("named", label: "Named APIs", others.joined(separator: ", ")) }
            if let tokens { fields(of: tokens) }
            Field("since", metrics.since)
            Field("refreshes", metrics.refreshes)
            Field("failedRefreshes", metrics.failedRefreshes)
            Field("storedAnswers", metrics.storedAnswers)
            Field("storedBytes", metrics.storedBytes)
            if metrics.endpoints.isEmpty { Notice(.information, "No calls yet.") }
            Table(metrics.endpoints) {
                Column("endpoint") { "\($0.name)" }
                Column("calls") { $0.calls }
                Column("errors") { $0.errors }
                Column("retries") { $0.retries }
                Column("stored") { $0.hits + $0.confirmations }
                Column("p50") { $0.latency.percentile(0.5).map(Self.milliseconds) }
                Column("p95") { $0.latency.percentile(0.95).map(Self.milliseconds) }
                Column("p99") { $0.latency.percentile(0.99).map(Self.milliseconds) }
            }
            if !metrics.failures.isEmpty {
                Table(metrics.failures, key: "failures") {
                    Column("time") { $0.time }
                    Column("endpoint") { "\($0.endpoint)" }
                    Column("status") { $0.status }
                    Column("reason") { $0.message }
                }
            }
        }
    }

    package static func ping(_ ping: APIPing) -> Content {
        Content {
            Field("url", label: "URL", ping.url)
            Field("status", ping.status)
            Field("time", Self.milliseconds(ping.time))
            Field("software", ping.software)
            if let connection = ping.connection {
                Field("http", label: "HTTP", connection.version)
                Field("address", connection.address)
                Field("tls", label: "TLS", connection.tlsVersion ?? "none")
                if let certificate = connection.certificate {
                    Field("certificate", certificate.subject)
                    Field("issuer", certificate.issuer)
                    Field("validFrom", certificate.validFrom)
                    Field("validUntil", certificate.validUntil)
                }
            }
            if let difference = ping.clockDifference, abs(difference.components.seconds) > 30 {
                Notice(
                    .warning,
                    "The server's clock differs from this machine's by \(difference.components.seconds) s.")
            }
        }
    }

    @ContentBuilder
    private static func fields(of tokens: AccessTokens) -> Content {
        Field("session", tokens.id)
        Field("accessToken", "hidden")
        Field("expires", tokens.expiresAt)
        Field("refreshToken", tokens.refreshToken.map { _ in "hidden" })
        Field("refreshExpires", tokens.refreshExpiresAt)
    }

    package static func milliseconds(_ time: Duration) -> String {
        time.decimal(in: .milliseconds(1), digits: 2) + " ms"
    }
}
