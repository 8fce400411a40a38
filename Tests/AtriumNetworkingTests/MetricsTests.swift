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
        #expect(metrics.endpoints.map(\.calls) == [1, 3])
        #expect(metrics.endpoints.map(\.errors) == [1, 0])
        #expect(metrics.since == client.clock.now())
    }

    @Test("The latency includes backoff")
    func latency() async throws {
        let turns = Turns([.success(.json("", status: 503, ["Retry-After": "2"])), .success(.row)])
        let client = try TestClient { _ in try turns.next() }

        _ = try await client.manager.request(.row(1))

        let latency = await client.manager.metrics.endpoints[0].latency
        #expect(latency.percentile(1) == .seconds(2))
    }

    @Test("The number of listed endpoints is limited")
    func bounded() async throws {
        let client = try TestClient { _ in .row }

        for number in 0..<600 {
            _ = try await client.manager.request(Endpoint<Row>(.get, "v1/rows/\(number)"))
        }

        let endpoints = await client.manager.metrics.endpoints
        #expect(endpoints.count == 501)
        #expect(endpoints.reduce(0) { $0 + $1.calls } == 600)
    }
}

@Suite("Percentiles of durations")
struct LatenciesTests {
    @Test("Half, nineteen of twenty and 99 of 100 are found among many")
    func shares() {
        var latencies = Latencies()
        for milliseconds in (1...400).reversed() { latencies.note(.milliseconds(milliseconds)) }

        for (share, milliseconds) in [(0.5, 200), (0.95, 380), (0.99, 396), (0, 1), (1, 400)] {
            #expect(latencies.percentile(share) == .milliseconds(milliseconds))
        }
    }

    @Test("Only the latest 500 count")
    func latest() {
        var latencies = Latencies()
        for milliseconds in 1...1_200 { latencies.note(.milliseconds(milliseconds)) }

        #expect(latencies.percentile(0) == .milliseconds(701))
        #expect(latencies.percentile(1) == .milliseconds(1_200))
    }

    @Test("Without calls there is no percentile")
    func empty() {
        #expect(Latencies().percentile(0.5) == nil)
    }
}
