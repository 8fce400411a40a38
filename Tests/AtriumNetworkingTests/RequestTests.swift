import AtriumKit
import AtriumNetworking
import AtriumTesting
import Testing

@Suite("Building a request from an endpoint")
struct RequestTests {
    @Test("Values of the path and the query are percent-encoded; the query keeps its order")
    func url() async throws {
        let client = try TestClient(url: "https://Example.com:8443/api/") { _ in .row }
        let endpoint = Endpoint<Row>(
            .get, "v1/rows/:id/notes/:note", ["id": "a/b c", "note": "ä?"],
            query: [("search", "x&y=z"), ("empty", nil), ("page", "1"), ("page", "+2")])

        _ = try await client.manager.request(endpoint)

        #expect(
            client.transport.requests[0].url
                == "https://example.com:8443/api/v1/rows/a%2Fb%20c/notes/%C3%A4%3F?search=x%26y%3Dz&page=1&page=%2B2"
        )
    }

    @Test(
        "A slash at the end of a path is sent",
        arguments: [
            ("v1/rows/", "/v1/rows/"), ("v1/rows/:id/", "/v1/rows/1/"), ("v1/rows", "/v1/rows"), ("/", "/"),
        ])
    func trailingSlash(pattern: String, path: String) async throws {
        let client = try TestClient { _ in .row }

        _ = try await client.manager.request(Endpoint<Row>(.get, pattern, ["id": "1"]))

        #expect(client.transport.requests[0].url == "http://server.test" + path)
    }

    @Test("A sandbox sends no change and renews no token; it reads")
    func sandbox() async throws {
        let client = try TestClient(configure: { $0.allowsChanges = false }) { _ in .row }

        let error = await failure { try await client.manager.request(.create(Row(id: 7, name: "a"))) }
        let signIn = await failure {
            try await client.manager.obtainTokens(.password(username: "a", password: "b"))
        }
        _ = try await client.manager.request(.row(1))

        #expect(error?.message == "POST v1/rows was not sent: this sandbox changes nothing on the server.")
        #expect(error?.hint == "Start it with: atrium --sandbox --allow changes")
        #expect(signIn?.code == "notAllowed")
        #expect(client.transport.requests.map(\.method) == [.get])
    }

    @Test("An answer has the fields that came with it, if it is asked for them")
    func answered() async throws {
        let client = try TestClient { _ in .json(#"{"id": 1, "name": ""}"#, ["ETag": "W/\"a1\""]) }

        let answer = try await client.manager.request(Endpoint<Answered<Row>>(.get, "v1/rows/1"))

        #expect(answer.value.id == 1)
        #expect(answer.fields["etag"] == "W/\"a1\"")
    }

    @Test("JSON is sent with sorted keys, Content-Type and Accept")
    func json() async throws {
        let client = try TestClient { _ in .row }

        _ = try await client.manager.request(.create(Row(id: 7, name: "a/b")))

        let request = client.transport.requests[0]
        #expect(request.method == .post)
        #expect(request.text == #"{"id":7,"name":"a/b"}"#)
        #expect(request.fields["content-type"] == "application/json")
        #expect(request.fields["accept"] == "application/json, application/problem+json")
    }

    @Test("Fields of the call replace those of the client")
    func fields() async throws {
        let client = try TestClient { _ in .row }

        _ = try await client.manager.request(
            .create(Row(id: 7, name: "")).with {
                $0.fields["Content-Type"] = "application/merge-patch+json"
                $0.fields["If-Match"] = "\"7\""
                $0.fields["Idempotency-Key"] = "mine"
            })

        let fields = client.transport.requests[0].fields
        #expect(fields["Content-Type"] == "application/merge-patch+json")
        #expect(fields["If-Match"] == "\"7\"")
        #expect(fields["Idempotency-Key"] == "mine")
    }

    @Test("A file is sent from its path, with the time limit of transfers")
    func file() async throws {
        let client = try TestClient { _ in HTTPResponse(status: 200) }

        _ = try await client.manager.request(
            Endpoint<NoAnswer>(
                .post, "v1/import", body: .file("/tmp/rows", contentType: "application/x-ndjson")))

        #expect(client.transport.requests[0].body == .file("/tmp/rows"))
        #expect(client.transport.requests[0].fields["Content-Type"] == "application/x-ndjson")
        #expect(client.transport.requests[0].timeLimit == .seconds(600))
    }

    @Test(
        "A path value that is missing, empty or a dot segment is an error that names the endpoint",
        arguments: [[:], ["id": ""], ["id": "."], ["id": ".."]])
    func badValue(values: [String: String]) async throws {
        let client = try TestClient { _ in .row }

        let error = await failure {
            try await client.manager.request(Endpoint<Row>(.get, "v1/rows/:id", values))
        }

        #expect(error?.code == .invalidURL)
        #expect(error?.message == "GET v1/rows/:id can't be called: a value of its path is missing or empty.")
        #expect(client.transport.requests.isEmpty)
        #expect(await client.manager.metrics.endpoints[0].errors == 1)
    }

    @Test("A field with a line break is not sent")
    func lineBreak() async throws {
        let client = try TestClient { _ in .row }

        let error = await failure {
            try await client.manager.request(.row(1).with { $0.fields["X"] = "a\r\nHost: evil" })
        }

        #expect(
            error?.message
                == "GET v1/rows/:id can't be called: a header field has a line break or a control character.")
        #expect(client.transport.requests.isEmpty)
    }

    @Test("A body that can't be encoded is an error that names the endpoint")
    func unencodable() async throws {
        let client = try TestClient { _ in .row }

        let error = await failure {
            try await client.manager.request(Endpoint<Row>(.post, "v1/rows", body: .json(Double.infinity)))
        }

        #expect(
            error?.message == "POST v1/rows can't be called: its body can't be encoded as JSON.")
    }
}

@Suite("Finding the transport")
struct TransportTests {
    @Test("The transport is looked up by the first request, once, and again after a change")
    func lazily() async throws {
        let transport = ScriptedTransport { _ in .row }
        let found = Counter()
        let manager = APIManager(
            configuration: try APIConfiguration(url: "http://server.test"),
            transport: {
                found.add()
                return transport
            }, tokens: MemoryTokenStore(), clock: FixedClock())
        #expect(found.count == 0)

        try await withThrowingTaskGroup(of: Row.self) { group in
            for number in 0..<20 { group.addTask { try await manager.request(.row(number)) } }
            try await group.waitForAll()
        }
        _ = try await manager.request(.row(1))
        #expect(found.count == 1)
        await manager.transportDidChange()
        _ = try await manager.request(.row(1))
        #expect(found.count == 2)
    }

    private struct Unprovided: ExplainedError {
        let code: ErrorCode = "quarantined"
        let message = "Module 'Transport' is quarantined."
        let hint: String? = "module lift Transport"
    }

    @Test("If the transport is missing, the error gives the reason, and the next request looks it up again")
    func missing() async throws {
        let found = Counter()
        let manager = APIManager(
            configuration: try APIConfiguration(url: "http://server.test"),
            transport: {
                found.add()
                throw Unprovided()
            }, tokens: MemoryTokenStore(), clock: FixedClock())

        let error = await failure { try await manager.request(.row(1)) }

        #expect(error?.message == "GET v1/rows/:id failed: Module 'Transport' is quarantined.")
        #expect(error?.code == "quarantined")
        #expect(error?.hint == "module lift Transport")
        #expect(error?.cause is Unprovided, "The cause is the module's own error.")
        _ = await failure { try await manager.request(.row(1)) }
        #expect(found.count == 2)
    }
}
