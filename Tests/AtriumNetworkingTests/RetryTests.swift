import AtriumKit
import AtriumTesting
import Testing

@testable import AtriumNetworking

@Suite("Deciding which requests are retried")
struct RetryPolicyTests {
    private let policy = RetryPolicy()

    /// The result of an attempt.
    private enum Failure {
        case status(Int, retryAfter: Duration?)
        case transport(TransportError)

        var result: Result<HTTPResponse, TransportError> {
            switch self {
            case .status(let status, _): .success(HTTPResponse(status: status))
            case .transport(let error): .failure(error)
            }
        }

        var asked: Duration? { if case .status(_, let asked) = self { asked } else { nil } }
    }

    private static let lost = Failure.transport(TransportError(.connectionLost, ""))
    private static let never = Failure.transport(
        TransportError(.serverUnreachable, "", neverSent: true))
    /// Failures that would repeat, although nothing was sent.
    private static let lasting: [ErrorCode] = [.tlsRefused, .invalidURL, "invalidField", "fileUnreadable"]

    @Test(
        "Statuses that are retried",
        arguments: [200, 301, 400, 401, 403, 404, 408, 409, 412, 422, 429, 500, 501, 502, 503, 504])
    func status(status: Int) {
        let repeats = wait(.status(status, retryAfter: nil), .get, .safe) != nil
        #expect(repeats == [408, 429, 500, 502, 503, 504].contains(status))
    }

    @Test("500 is retried for idempotent methods only, not because of an idempotency key")
    func internalError() {
        let failure = Failure.status(500, retryAfter: nil)
        #expect(wait(failure, .put, .safe) != nil)
        #expect(wait(failure, .delete, .withKey) != nil)
        #expect(wait(failure, .post, .withKey) == nil)
        #expect(wait(.status(503, retryAfter: nil), .post, .withKey) != nil)
    }

    @Test("Lost connections are retried; lasting failures and calls with `.never` are not")
    func connections() {
        #expect(wait(Self.lost, .post, .withKey) != nil)
        #expect(wait(Self.never, .post, .withKey) != nil)
        for code in Self.lasting {
            let failure = Failure.transport(TransportError(code, "", neverSent: true))
            #expect(wait(failure, .get, .safe) == nil, "\(code)")
        }
        #expect(wait(Self.never, .get, .never) == nil)
        #expect(wait(Self.lost, .get, .never) == nil)
    }

    @Test("The backoff is random below a limit that doubles up to a maximum")
    func jitter() {
        let bounds = (1...3).map { wait(Self.lost, .get, .safe, attempt: $0, random: .max) ?? .zero }
        for (bound, milliseconds) in zip(bounds, [200, 400, 800]) {
            #expect(bound <= .milliseconds(milliseconds) && bound > .milliseconds(milliseconds - 1))
        }
        #expect(wait(Self.lost, .get, .safe, attempt: 3, random: 0) == .zero)
        var patient = RetryPolicy()
        patient.attempts = 100
        let late = patient.wait(
            after: Self.lost.result, asked: nil, of: .get, .safe, attempt: 90, remaining: .seconds(600),
            random: .max)
        #expect(late.map { $0 <= .seconds(5) && $0 > .milliseconds(4_999) } == true)
    }

    @Test("Retry-After is respected; a longer one than the limit ends the call")
    func retryAfter() {
        #expect(wait(.status(429, retryAfter: .seconds(3)), .get, .safe) == .seconds(3))
        #expect(wait(.status(429, retryAfter: .seconds(10)), .get, .safe) == .seconds(10))
        #expect(wait(.status(429, retryAfter: .seconds(11)), .get, .safe) == nil)
        #expect(wait(.status(429, retryAfter: .seconds(3)), .get, .safe, remaining: .seconds(3)) == nil)
        let none = wait(.status(503, retryAfter: .zero), .get, .safe, random: .max)
        #expect(
            none.map { $0 > .milliseconds(199) } == true, "Without jitter all clients would return at once.")
    }

    @Test("There are four attempts at most")
    func attempts() {
        #expect(wait(Self.lost, .get, .safe, attempt: 3) != nil)
        #expect(wait(Self.lost, .get, .safe, attempt: 4) == nil)
    }

    private func wait(
        _ failure: Failure, _ method: HTTPMethod, _ repetition: APICall.Repetition,
        attempt: Int = 1,
        remaining: Duration = .seconds(30), random: UInt64 = 0
    ) -> Duration? {
        policy.wait(
            after: failure.result, asked: failure.asked, of: method, repetition, attempt: attempt,
            remaining: remaining, random: random)
    }
}

@Suite("Calls are retried after temporary failures")
struct RetryTests {
    private static let lost = Result<HTTPResponse, TransportError>.failure(
        TransportError(.connectionLost, "Closed."))

    @Test("A call cancelled during its backoff is not retried")
    func cancelledWait() async throws {
        let transport = ScriptedTransport { _ in throw TransportError(.connectionLost, "Closed.") }
        let manager = APIManager(
            configuration: try APIConfiguration(url: "http://server.test"), transport: { transport },
            tokens: MemoryTokenStore(), clock: FixedClock(),
            sleep: { _ in withUnsafeCurrentTask { $0?.cancel() } })

        let call = Task { try await manager.request(.row(1)) }

        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(transport.requests.count == 1)
    }

    @Test("A GET is retried until it succeeds, with a backoff each time")
    func again() async throws {
        let turns = Turns([Self.lost, .success(.json("", status: 503)), .success(.row)])
        let client = try TestClient(random: .max) { _ in try turns.next() }

        #expect(try await client.manager.request(.row(1)).id == 1)

        #expect(client.transport.requests.count == 3)
        #expect(client.time.sleeps.map { ($0 * 1_000).components.seconds } == [199, 399])
        #expect(await client.manager.metrics.endpoints[0].retries == 2)
    }

    @Test(
        "POST, PATCH and DELETE have one key for all attempts of a call",
        arguments: [HTTPMethod.post, .patch, .delete])
    func keys(method: HTTPMethod) async throws {
        let turns = Turns([Self.lost, Self.lost, .success(.row)])
        let client = try TestClient { _ in try turns.next() }
        let endpoint = Endpoint<Row>(method, "v1/rows/:id", ["id": "1"])

        _ = try await client.manager.request(endpoint)
        _ = try await client.manager.request(endpoint)

        let keys = client.transport.requests.map { $0.fields["Idempotency-Key"] ?? "" }
        #expect(keys.count == 4)
        #expect(Set(keys[..<3]).count == 1 && keys[3] != keys[0])
        #expect(keys.allSatisfy { $0.count == 32 })
    }

    @Test("GET and PUT have no idempotency key", arguments: [HTTPMethod.get, .put])
    func noKeys(method: HTTPMethod) async throws {
        let client = try TestClient { _ in .row }

        _ = try await client.manager.request(Endpoint<Row>(method, "v1/rows"))

        #expect(client.transport.requests[0].fields["Idempotency-Key"] == nil)
    }

    @Test("A call with `.never` is sent once")
    func never() async throws {
        let client = try TestClient { _ in throw TransportError(.serverUnreachable, "", neverSent: true) }

        _ = await failure { try await client.manager.request(.row(1).with { $0.repetition = .never }) }

        #expect(client.transport.requests.count == 1)
    }

    @Test("A Retry-After of 2 seconds delays the retry")
    func retryAfter() async throws {
        let turns = Turns([.success(.json("", status: 429, ["Retry-After": "2"])), .success(.row)])
        let client = try TestClient { _ in try turns.next() }

        _ = try await client.manager.request(.row(1))

        #expect(client.time.sleeps == [.seconds(2)])
    }

    @Test("A Retry-After with a date delays the retry")
    func retryAfterDate() async throws {
        let turns = Turns([
            .success(.json("", status: 503, ["Retry-After": "Thu, 01 Jan 2026 00:00:07 GMT"])),
            .success(.row),
        ])
        let client = try TestClient { _ in try turns.next() }

        _ = try await client.manager.request(.row(1))

        #expect(client.time.sleeps == [.seconds(7)])
    }

    @Test("A long Retry-After ends the call, and the error gives the duration")
    func longRetryAfter() async throws {
        let client = try TestClient { _ in .json("", status: 429, ["Retry-After": "120"]) }

        let error = await failure { try await client.manager.request(.row(1)) }

        #expect(error?.code == .rateLimited)
        #expect(error?.retryAfter == .seconds(120))
        #expect(
            error?.message
                == "GET v1/rows/:id was refused: too many requests; the server asks to wait for 120 seconds."
        )
        #expect(client.time.sleeps == [])
    }

    @Test("All attempts share the time limit")
    func timeLimit() async throws {
        let time = ManualTime()
        let client = try TestClient(random: .max) { [time] _ in
            time.advance(.zero)
            throw TransportError(.timedOut, "Too long.")
        }
        client.transport.hold()
        let call = Task {
            try await client.manager.request(.row(1).with { $0.timeLimit = .seconds(20) })
        }
        await client.transport.waitUntilHeld(1)
        #expect(client.transport.requests[0].timeLimit == .seconds(15))
        client.time.advance(.seconds(15))
        client.transport.releaseOne()
        await client.transport.waitUntilHeld(1)
        #expect(client.transport.requests[1].timeLimit <= .milliseconds(4_801))
        client.time.advance(.milliseconds(4_800))
        client.transport.releaseOne()

        let error = await failure { try await call.value }
        #expect(error?.code == .timedOut)
        #expect(
            error?.message
                == "GET v1/rows/:id failed: the server at http://server.test did not answer within 20 seconds."
        )
        #expect(client.transport.requests.count == 2)
    }

    @Test("A call cancelled during its backoff ends at once")
    func cancelledInWait() async throws {
        let client = try TestClient { _ in throw TransportError(.connectionLost, "") }
        client.time.hold()
        let call = Task { try await client.manager.request(.row(1)) }
        #expect(await eventually { !client.time.sleepers.isEmpty })

        call.cancel()

        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(client.transport.requests.count == 1)
    }

    @Test(
        "A call cancelled in flight ends at once; one cancelled before it starts is not sent"
    )
    func cancelledInFlight() async throws {
        let client = try TestClient { _ in .row }
        client.transport.hold()
        let call = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)

        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.manager.request(.row(2))
        }
        await #expect(throws: CancellationError.self) { try await late.value }

        #expect(client.transport.requests.count == 1)
        #expect(await client.manager.metrics.endpoints[0].errors == 0)
    }

    @Test("A CancellationError of the transport is an error, not a cancellation")
    func transportEnds() async throws {
        let client = try TestClient { _ in throw CancellationError() }

        let error = await failure { try await client.manager.request(.row(1)) }

        #expect(error?.message == "GET v1/rows/:id failed: the transport gave no reason.")
    }
}

@Suite("HTTP dates")
struct HTTPDateTests {
    @Test(
        "All three forms of a date are parsed",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func forms(text: String) {
        #expect(HTTPDate.parse(text)?.description == "1994-11-06T08:49:37Z")
    }

    @Test(
        "Leap days, leap seconds and ends of months and years are parsed",
        arguments: [
            ("Thu, 29 Feb 2024 23:59:59 GMT", "2024-02-29T23:59:59Z"),
            ("Fri, 01 Mar 2024 00:00:00 GMT", "2024-03-01T00:00:00Z"),
            ("Wed, 31 Dec 2025 23:59:60 GMT", "2026-01-01T00:00:00Z"),
            ("Tue, 29 Feb 2000 00:00:00 GMT", "2000-02-29T00:00:00Z"),
        ])
    func days(text: String, iso: String) {
        #expect(HTTPDate.parse(text)?.description == iso)
    }

    @Test(
        "Invalid dates are ignored",
        arguments: [
            "", "soon", "-1", "Sun, 06 Nov 1994", "Sun, 99 Nov 1994 08:49:37 GMT",
            "Sun, 06 Xyz 1994 08:49:37 GMT",
        ])
    func nonsense(text: String) {
        #expect(HTTPDate.parse(text) == nil)
        #expect(HTTPDate.retryAfter(["Retry-After": text], now: Timestamp(microseconds: 0)) == nil)
    }

    @Test("Zero is valid; a huge number is limited")
    func seconds() {
        let now = Timestamp(microseconds: 0)
        #expect(HTTPDate.retryAfter(["Retry-After": "0"], now: now) == .zero)
        #expect(HTTPDate.retryAfter(["Retry-After": "\(Int.max)"], now: now) == .seconds(1_000_000_000))
    }

    @Test("A date counts from the server's clock, if it says what that shows")
    func serversClock() {
        let fields: HTTPFields = [
            "Date": "Sun, 06 Nov 1994 08:49:30 GMT", "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT",
        ]

        #expect(HTTPDate.retryAfter(fields, now: Timestamp(microseconds: 0)) == .seconds(7))
        #expect(HTTPDate.retryAfter(fields, now: .init(microseconds: .max / 2)) == .seconds(7))
    }

    @Test("A date in the past means no delay")
    func past() {
        #expect(
            HTTPDate.retryAfter(
                ["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"], now: .init(microseconds: .max / 2))
                == .zero)
    }
}
