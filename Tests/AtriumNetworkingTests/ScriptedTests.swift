import AtriumKit
import AtriumTesting
import Testing

@Suite("The scripted API client")
struct ScriptedAPIClientTests {
    @Test("Calls are answered by pattern and recorded")
    func answers() async throws {
        let api = ScriptedAPIClient()
        api.answer("GET v1/rows/:id", #"{"id": 1, "name": "Ada"}"#)
        api.reply("POST v1/rows") { $0.body }
        api.fail("DELETE v1/rows/:id", APIError.notAuthenticated("Sign in."))

        #expect(try await api.request(.row(7)) == Row(id: 1, name: "Ada"))
        #expect(try await api.request(.create(Row(id: 2, name: "b"))) == Row(id: 2, name: "b"))
        let error = await failure {
            try await api.request(Endpoint<NoAnswer>(.delete, "v1/rows/:id", ["id": "3"]))
        }

        #expect(error?.code == .notAuthenticated)
        #expect(api.calls.map(\.description) == ["GET v1/rows/7", "POST v1/rows", "DELETE v1/rows/3"])
        #expect(api.calls("POST v1/rows").map(\.body) == [#"{"id":2,"name":"b"}"#])
    }

    @Test("An unexpected call fails the test")
    func unexpected() async {
        let api = ScriptedAPIClient()

        await withKnownIssue { _ = await failure { try await api.request(.row(7)) } }
    }

    @Test("Tokens are stored, and listeners receive events")
    func tokens() async throws {
        let api = ScriptedAPIClient()
        api.issue(.success(.sample()))
        var events = await api.tokenEvents().makeAsyncIterator()

        try await api.use(try await api.obtainTokens(.password(username: "ada", password: "x")))
        api.send(.ended(id: "ada"))

        #expect(await api.tokens == .sample())
        #expect(await events.next() == .ended(id: "ada"))
        try await api.use(nil)
        #expect(
            await failure { try await api.request(.row(1, access: .required)) }?.code == .notAuthenticated)
    }
}

@Suite("The scripted transport")
struct ScriptedTransportTests {
    @Test("Responses follow the script; after its end the connection is lost")
    func script() async throws {
        let transport = ScriptedTransport(script: [.success(.row), .failure(TransportError(.timedOut, "x"))])
        let request = HTTPRequest(.get, "http://server.test")

        #expect(try await transport.send(request) == .row)
        await #expect(throws: TransportError(.timedOut, "x")) { try await transport.send(request) }
        await #expect(throws: TransportError(.connectionLost, "The script has no more answers.")) {
            try await transport.send(request)
        }
        #expect(transport.requests.count == 3)
    }

    @Test("A held request can be cancelled")
    func held() async throws {
        let transport = ScriptedTransport { _ in .row }
        transport.hold()
        let call = Task { try await transport.send(HTTPRequest(.get, "http://server.test")) }
        await transport.waitUntilHeld(1)

        call.cancel()

        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(transport.held.isEmpty)
    }
}
