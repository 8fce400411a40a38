import AtriumKit
import AtriumTesting
import Synchronization
import Testing

@testable import AtriumNetworking

@Suite("Traced requests, failures and ping")
struct DiagnosisTests {
    /// The lines that a trace prints.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func append(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private let lines = Lines()

    private func trace(_ client: TestClient, _ detail: APITracer.Detail = .on) {
        client.tracer.start(detail) { [lines] in lines.append($0) }
    }

    @Test("Each request and its answer is a line, also the renewal of tokens and each retry")
    func attempts() async throws {
        let turns = Turns([
            .success(.tokens(2)), .success(.json("", status: 503, ["Retry-After": "1"])), .success(.row),
        ])
        let client = try TestClient(tokens: .expired) { _ in try turns.next() }
        trace(client)

        _ = try await client.manager.request(.row(1))

        #expect(lines.all.count == 6)
        #expect(lines.all[0] == "#1 > POST http://server.test/oauth/token")
        #expect(lines.all[1].hasPrefix("#1 < 200 in 0.00 ms, "))
        #expect(lines.all[2] == "#2 > GET http://server.test/v1/rows/1")
        #expect(lines.all[3] == "#2 < 503 in 0.00 ms, 0 bytes")
        #expect(lines.all[4] == "#3 > GET http://server.test/v1/rows/1")
        #expect(lines.all[5].hasPrefix("#3 < 200 in "))
    }

    @Test("A failure is a line with the reason, a cached answer a line of its own")
    func withoutAnswer() async throws {
        let turns = Turns([
            .success(.json(#"{"id": 1, "name": "Ada"}"#, ["Cache-Control": "max-age=60"])),
            .failure(TransportError(.serverUnreachable, "Nobody listens.", neverSent: true)),
        ])
        let client = try TestClient(configure: { $0.retry.attempts = 1 }) { _ in try turns.next() }
        trace(client)

        _ = try await client.manager.request(.row(1))
        _ = try await client.manager.request(.row(1))
        _ = await failure { try await client.manager.request(.row(2)) }

        #expect(lines.all[2] == "#2 = GET http://server.test/v1/rows/1 from the cache")
        #expect(
            lines.all[3...] == [
                "#3 > GET http://server.test/v1/rows/2", "#3 < none after 0.00 ms: Nobody listens.",
            ])
    }

    @Test("In full, fields and bodies are shown")
    func full() async throws {
        let client = try TestClient { _ in .json(#"{"id": 1, "name": "Ada"}"#, ["ETag": "\"7\""]) }
        trace(client, .full)

        _ = try await client.manager.request(.create(Row(id: 1, name: "Ada")))

        let key = client.transport.requests[0].fields["Idempotency-Key"] ?? ""
        #expect(
            lines.all == [
                "#1 > POST http://server.test/v1/rows",
                "#1   Accept: application/json, application/problem+json",
                "#1   Content-Type: application/json",
                "#1   Idempotency-Key: (hidden)", #"#1   {"id":1,"name":"Ada"}"#,
                "#1 < 200 in 0.00 ms, 24 bytes",
                "#1   ETag: \"7\"", "#1   Content-Type: application/json; charset=utf-8",
                #"#1   {"id": 1, "name": "Ada"}"#,
            ])
        #expect(!key.isEmpty && !lines.all.joined().contains(key))
    }

    @Test("No trace contains a secret, in URLs, fields, forms and JSON", arguments: [200, 401, 500])
    func secrets(status: Int) async throws {
        let password = "correct horse & battery"
        let client = try TestClient(tokens: .sample(), configure: { $0.retry.attempts = 1 }) { request in
            let echo = request.fields.fields.map { "\($0.name): \($0.value)" }.joined(separator: " ")
            return request.isForTokens
                ? .tokens(9)
                : .json(#"{"echo": "\#(echo)", "token": "secret-9"}"#, status: status, ["X": echo])
        }
        trace(client, .full)

        _ = await failure { try await client.manager.request(.row(1)) }
        _ = await failure {
            try await client.manager.request(
                Endpoint<Row>(
                    .post, "v1/users", query: [("api_token", "secret 7")],
                    body: .json(["a": [["password": password]]])))
        }
        _ = await failure {
            try await client.manager.obtainTokens(.password(username: "ada", password: password))
        }

        let text = lines.all.joined(separator: "\n")
        #expect(lines.all.count > 12)
        #expect(text.contains("api_token=(hidden)"))
        #expect(text.contains("password=%28hidden%29"))
        #expect(text.contains(#"{"a":[{"password":"(hidden)"}]}"#))
        for secret in [
            "access-ada", "refresh-ada", password, "correct+horse", "correct%20horse", "secret 7",
            "secret%207",
            "secret-9", client.transport.requests.compactMap { $0.fields["Idempotency-Key"] }.first ?? "-",
        ] {
            #expect(!text.contains(secret), "\(secret) is in \(text)")
        }
    }

    @Test("After it is switched off nothing is printed")
    func off() async throws {
        let client = try TestClient { _ in .row }
        trace(client)
        client.tracer.stop()

        _ = try await client.manager.request(.row(1))

        #expect(lines.all.isEmpty)
    }

    @Test("The last twenty failures are kept, each with time, endpoint, status and reason")
    func failures() async throws {
        let client = try TestClient(configure: { $0.retry.attempts = 1 }) { request in
            if request.url.hasSuffix("/21") { throw TransportError(.serverUnreachable, "Nobody listens.") }
            if request.url.hasSuffix("/22") { return .json("no JSON") }
            return .json(#"{"detail": "It is closed."}"#, status: 409)
        }

        for number in 1...22 { _ = await failure { try await client.manager.request(.row(number)) } }

        let failures = await client.manager.metrics.failures
        #expect(failures.count == 20)
        #expect(failures[17].message == "GET v1/rows/:id was answered with status 409: It is closed.")
        #expect(failures[17].status == 409 && failures[17].time == client.clock.now())
        #expect(failures[18].message == "Nobody listens." && failures[18].status == nil)
        #expect(
            failures[19].endpoint.description == "GET v1/rows/:id" && failures[19].code == .invalidResponse)
    }

    @Test("A ping sends one request without credentials and describes what answers")
    func ping() async throws {
        let client = try TestClient(tokens: .sample(), url: "http://server.test/base") { request in
            var response = HTTPResponse(
                status: 404, fields: ["Server": "shop/1", "Date": "Thu, 01 Jan 2026 00:01:00 GMT"])
            response.connection =
                request.describesConnection
                ? HTTPConnection(version: "HTTP/2", address: "127.0.0.1:443") : nil
            return response
        }

        let ping = try await client.manager.ping()

        let requests = client.transport.requests
        #expect(requests.map { "\($0.method) \($0.url)" } == ["HEAD http://server.test/base/"])
        #expect(requests[0].fields["Authorization"] == nil)
        #expect(ping.status == 404 && ping.software == "shop/1" && ping.connection?.version == "HTTP/2")
        #expect(ping.clockDifference != nil)
        #expect(await client.manager.metrics.endpoints.isEmpty)
    }

    @Test("A ping that nothing answers is an error with the reason")
    func noPing() async throws {
        let client = try TestClient { _ in throw TransportError(.serverUnreachable, "Nobody listens.") }

        let error = await failure { try await client.manager.ping() }

        #expect(error?.message == "HEAD / failed: the server at http://server.test can't be reached.")
        #expect(client.transport.requests.count == 1)
    }
}
