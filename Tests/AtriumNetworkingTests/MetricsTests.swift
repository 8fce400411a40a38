import AtriumKit
import AtriumNetworking
import AtriumTesting
import Testing

@Suite("Metrics")
struct MetricsTests {
    @Test("Calls are counted by endpoint pattern, not by value")
    func patterns() async throws {
        let client = try TestClient { $0.method == .post ? .json("", status: 409) : .row }

        for number in 0..<3 { _ = try await client.manager.request(.row(number)) }
        _ = await failure { try await client.manager.request(.create(Row(id: 1, name: "Ada"))) }

        let metrics = await client.manager.metrics
        #expect(metrics.endpoints.map(\.name.description) == ["POST v1/rows", "GET v1/rows/:id"])
        #expect(metrics.endpoints.map(\.counts.calls) == [1, 3])
        #expect(metrics.endpoints.map(\.counts.errors) == [1, 0])
        #expect(metrics.endpoints[0].counts.sentBytes == #"{"id":1,"name":"Ada"}"#.utf8.count)
        #expect(metrics.endpoints[1].counts.receivedBytes == 3 * HTTPResponse.row.body.count)
        #expect(metrics.since == client.clock.now())
    }

    @Test("The latency includes backoff")
    func latency() async throws {
        let turns = Turns([.success(.json("", status: 503, ["Retry-After": "2"])), .success(.row)])
        let client = try TestClient { _ in try turns.next() }

        _ = try await client.manager.request(.row(1))

        let latency = await client.manager.metrics.endpoints[0].latency
        #expect(latency.count == 1)
        #expect(latency.longest == .seconds(2))
    }

    @Test("The counters can be reset")
    func reset() async throws {
        let client = try TestClient(tokens: .expired) { $0.isForTokens ? .tokens(2) : .row }
        _ = try await client.manager.request(.row(1))
        #expect(await client.manager.metrics.refreshes == 1)
        client.clock.advance(seconds: 1)

        await client.manager.resetMetrics()

        let metrics = await client.manager.metrics
        #expect(metrics.endpoints.isEmpty && metrics.refreshes == 0)
        #expect(metrics.since == client.clock.now())
    }

    @Test("The number of listed endpoints is limited")
    func bounded() async throws {
        let client = try TestClient { _ in .row }

        for number in 0..<600 {
            _ = try await client.manager.request(Endpoint<Row>(.get, "v1/rows/\(number)"))
        }

        let endpoints = await client.manager.metrics.endpoints
        #expect(endpoints.count == 501)
        #expect(endpoints.reduce(0) { $0 + $1.counts.calls } == 600)
    }
}

@Suite("Latency percentiles")
struct LatencyHistogramTests {
    @Test("A percentile deviates by at most 1/32")
    func precision() {
        for exponent in 0..<36 {
            for offset in [0, 1, 7, 15] {
                let time = Duration.microseconds(Int64(1) << exponent + Int64(offset) << max(0, exponent - 4))
                var histogram = LatencyHistogram()
                histogram.note(time)
                histogram.note(.seconds(1 << 20))
                let told = histogram.percentile(0.5) ?? .zero
                #expect(abs((told - time) / time) <= 1.0 / 32)
            }
        }
    }

    @Test("The 50th, 95th and 99th percentile of 1,000 values")
    func shares() {
        var histogram = LatencyHistogram()
        for milliseconds in 1...1_000 { histogram.note(.milliseconds(milliseconds)) }

        for (share, milliseconds) in [(0.5, 500.0), (0.95, 950), (0.99, 990)] {
            let told = (histogram.percentile(share) ?? .zero) / .milliseconds(1)
            #expect(abs(told - milliseconds) / milliseconds <= 1.0 / 32)
        }
        #expect(histogram.longest == .seconds(1))
    }

    @Test("An empty histogram has no percentile; values out of range count as the nearest bound")
    func edges() {
        var histogram = LatencyHistogram()
        #expect(histogram.percentile(0.5) == nil)
        histogram.note(.seconds(-5))
        #expect(histogram.percentile(0.5) == .zero)
        histogram.note(.seconds(1 << 40))
        #expect(histogram.count == 2)
        #expect(histogram.percentile(0.5) == .zero)
    }
}
