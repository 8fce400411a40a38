import AtriumKit
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("Server faults", .serialized)
struct TransportFaultTests {
    private let server: ReferenceServer
    private let transport = CurlTransport()

    init() throws {
        server = try ReferenceServer()
    }

    private func get(limit: Duration = .seconds(120)) async throws -> HTTPResponse {
        try await transport.send(
            HTTPRequest(.get, server.url("v1/entities?size=2&search=a"), timeLimit: limit))
    }

    @Test("A response has status, fields and body")
    func answers() async throws {
        let entities = try await get()
        let missing = try await transport.send(HTTPRequest(.get, server.url("v1/entities/999999")))
        let head = try await transport.send(HTTPRequest(.head, server.url("v1/entities")))

        #expect(entities.status == 200 && entities.text.hasPrefix(#"{"rows":[{"id":"#))
        #expect(entities.fields["content-type"] == "application/json; charset=utf-8")
        #expect(entities.fields["etag"] != nil)
        #expect(missing.status == 404 && missing.text.contains("/problems/not-found"))
        #expect(head.status == 200 && head.body.isEmpty)
    }

    @Test("A 401 response is returned, not thrown")
    func unauthenticated() async throws {
        let none = try await transport.send(HTTPRequest(.get, server.url("v1/users/me")))
        let bad = try await transport.send(
            HTTPRequest(.get, server.url("v1/users/me"), fields: ["Authorization": "Bearer nonsense"]))

        #expect(none.status == 401 && none.fields["WWW-Authenticate"] == "Bearer")
        #expect(bad.status == 401)
        #expect(bad.fields["WWW-Authenticate"]?.contains("invalid_token") == true)
    }

    @Test(
        "Faulty responses are returned unchanged",
        arguments: [
            (.unauthorized, 401), (.rateLimit, 429), (.serverError, 500), (.unavailable, 503),
            (.brokenJSON, 200), (.errorCode, 200), (.wrongType, 200),
        ] as [(ReferenceServer.Fault, Int)])
    func wrongAnswers(_ fault: ReferenceServer.Fault, _ status: Int) async throws {
        try server.add(fault, on: "/v1/entities", seconds: 7)

        let answer = try await get()
        let next = try await get()

        #expect(answer.status == status)
        if status == 429 || status == 503 { #expect(answer.fields["Retry-After"] == "7") }
        #expect(next.status == 200 && next.text.hasSuffix("}"))
    }

    @Test(
        "A response that is cut off is an error, and the request is not repeated",
        arguments: [ReferenceServer.Fault.half, .close, .lost])
    func lost(_ fault: ReferenceServer.Fault) async throws {
        try server.add(fault, on: "/v1/entities")

        let error = try await transportError(.connectionLost) { _ = try await get() }

        #expect(
            error.message
                == "GET \(server.url)/v1/entities?size=…&search=… failed: 127.0.0.1:\(server.port) closed the "
                + "connection before its response was complete.")
        #expect(
            error.hint == "Enter the same command again, or see the server's responses with: api")
        #expect(!error.neverSent)
        #expect(try await get().status == 200)
    }

    @Test("A response beyond the size limit is an error")
    func huge() async throws {
        try server.add(.huge, on: "/v1/entities")

        let error = try await transportError(.answerTooLarge) { _ = try await get() }

        #expect(error.message.hasSuffix("failed: its response has more than 16777216 bytes."))
        #expect(try await get().status == 200)
    }

    @Test("A slow response is an error at the time limit")
    func slow() async throws {
        try server.add(.slow, on: "/v1/entities", seconds: 30)

        let error = try await transportError(.timedOut) { _ = try await get(limit: .milliseconds(300)) }

        #expect(
            error.message
                == "GET \(server.url)/v1/entities?size=…&search=… was not answered within 0.3 s.")
        #expect(!error.neverSent)
        // If the request timed out before it was sent, the fault is still pending.
        try server.clearFaults()
        #expect(try await get().status == 200)
    }

    @Test("Cancelling a request does not affect the next one")
    func cancelled() async throws {
        try server.add(.slow, on: "/v1/entities", seconds: 30)
        let transport = transport
        let url = server.url("v1/entities")
        let waiting = Task { try await transport.send(HTTPRequest(.get, url)) }
        try await eventually("the request has arrived", turns: 100_000) {
            try server.statistics().requests["GET /v1/entities"] != nil
        }

        waiting.cancel()

        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(try await get().status == 200)
    }

    @Test("A task that is already cancelled sends nothing")
    func cancelledBefore() async throws {
        let transport = transport
        let url = server.url("v1/entities")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(HTTPRequest(.get, url))
        }

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try server.statistics().requests.isEmpty)
    }

    @Test("An unreachable server and an unknown host are errors with their own messages")
    func unreachable() async throws {
        server.stop()

        let refused = try await transportError(.serverUnreachable) { _ = try await get() }
        let unknown = try await transportError(.serverUnreachable) {
            _ = try await transport.send(HTTPRequest(.get, "http://nobody.invalid/v1"))
        }

        #expect(
            refused.message
                == "GET \(server.url)/v1/entities?size=…&search=… failed: nobody listens at "
                + "127.0.0.1:\(server.port).")
        #expect(refused.hint == "Start the server, then try again.")
        #expect(unknown.message == "GET http://nobody.invalid/v1 failed: there is no host 'nobody.invalid'.")
        #expect(refused.neverSent && unknown.neverSent)
    }

    @Test("A request that comes after the transport's end fails", .timeLimit(.minutes(1)))
    func afterTheEnd() async throws {
        let thread = TransportThread(TransportLimits())
        let request = HTTPRequest(.get, server.url("v1/entities"))
        let exchange = try Exchange(
            request, ResponseBody(limit: request.answerLimit, nil) { _ in },
            deadline: .now.advanced(by: .seconds(3_600)))
        thread.stop()

        let error = try await transportError(.connectionLost) { _ = try await exchange.run(on: thread) }

        #expect(error.neverSent)
        #expect(try server.statistics().requests.isEmpty)
    }
}
