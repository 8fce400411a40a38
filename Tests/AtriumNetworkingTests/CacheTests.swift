import AtriumKit
import AtriumTesting
import Testing

@testable import AtriumNetworking

@Suite("Answers are kept as the server allows (RFC 9111)")
struct ResponseCacheTests {
    private let fresh: HTTPFields = ["Cache-Control": "private, max-age=5"]
    private let tagged: HTTPFields = [
        "Cache-Control": "private, max-age=0, must-revalidate", "ETag": "\"1\"",
    ]

    @Test("A fresh answer is used without asking, a stale one is not")
    func maxAge() async throws {
        let client = try TestClient { [fresh] _ in .json(#"{"id": 1, "name": "Ada"}"#, fresh) }

        for _ in 0..<3 { _ = try await client.manager.request(.row(1)) }
        client.clock.advance(seconds: 4)
        _ = try await client.manager.request(.row(1))
        #expect(client.transport.requests.count == 1)
        client.clock.advance(seconds: 1)
        _ = try await client.manager.request(.row(1))

        #expect(client.transport.requests.count == 2)
        #expect(await client.manager.metrics.endpoints[0].counts.hits == 3)
    }

    @Test("The age that an answer has when it comes counts")
    func age() async throws {
        let client = try TestClient { _ in
            .json(#"{"id": 1, "name": "Ada"}"#, ["Cache-Control": "max-age=5", "Age": "3"])
        }

        _ = try await client.manager.request(.row(1))
        client.clock.advance(seconds: 1)
        _ = try await client.manager.request(.row(1))
        #expect(client.transport.requests.count == 1)
        client.clock.advance(seconds: 1)
        _ = try await client.manager.request(.row(1))

        #expect(client.transport.requests.count == 2)
    }

    @Test("An answer that varies by what nobody can tell is not kept")
    func variesByAll() async throws {
        let client = try TestClient { _ in
            .json(#"{"id": 1, "name": "Ada"}"#, ["Cache-Control": "max-age=5", "Vary": "*"])
        }

        for _ in 0..<2 { _ = try await client.manager.request(.row(1)) }

        #expect(client.transport.requests.count == 2)
    }

    @Test("A call that asks for a part, or by a tag of its own, neither gets nor leaves a stored answer")
    func ownConditions() async throws {
        let client = try TestClient { [fresh] _ in .json(#"{"id": 1, "name": "Ada"}"#, fresh) }

        for field in ["Range", "If-None-Match"] {
            for _ in 0..<2 {
                _ = try await client.manager.request(.row(1).with { $0.fields[field] = "x" })
            }
        }

        #expect(client.transport.requests.count == 4)
    }

    @Test("What a confirmation says of a body is not said of the stored one")
    func bodyFields() async throws {
        let turns = Turns([
            .success(.json(#"{"id": 1, "name": "Ada"}"#, tagged)),
            .success(HTTPResponse(status: 304, fields: ["Content-Type": "text/html", "ETag": "\"1\""])),
        ])
        let client = try TestClient { _ in try turns.next() }

        for _ in 0..<2 { #expect(try await client.manager.request(.row(1)).name == "Ada") }
    }

    @Test(
        "Paths lie within each other by whole segments", arguments: [("/v1/rows", true), ("/v1/row", false)])
    func prefixes(path: String, areRelated: Bool) {
        #expect(PathPrefix.areRelated(path, "/v1/rows/7") == areRelated)
        #expect(PathPrefix.areRelated("/v1/rows/7", path) == areRelated)
    }

    @Test("A change that never left forgets nothing")
    func neverSent() async throws {
        let client = try TestClient(configure: { $0.retry.attempts = 1 }) { [fresh] request in
            guard request.method == .get else {
                throw TransportError(.serverUnreachable, "Nobody listens.", neverSent: true)
            }
            return .json(#"{"id": 1, "name": "Ada"}"#, fresh)
        }
        _ = try await client.manager.request(.row(1))

        _ = await failure { try await client.manager.request(.create(Row(id: 2, name: ""))) }
        _ = try await client.manager.request(.row(1))

        #expect(client.transport.requests.map(\.method) == [.get, .post])
    }

    @Test("A clock that was set back makes nothing fresh")
    func clockSetBack() async throws {
        let client = try TestClient { [fresh] _ in .json(#"{"id": 1, "name": "Ada"}"#, fresh) }

        _ = try await client.manager.request(.row(1))
        client.clock.advance(seconds: -100)
        _ = try await client.manager.request(.row(1))

        #expect(client.transport.requests.count == 2)
    }

    @Test("A stale answer with a tag is asked for by it, and used where the server confirms it")
    func confirmed() async throws {
        let turns = Turns([
            .success(.json(#"{"id": 1, "name": "Ada"}"#, tagged)),
            .success(HTTPResponse(status: 304, fields: ["Cache-Control": "max-age=5", "X-New": "1"])),
        ])
        let client = try TestClient { _ in try turns.next() }

        _ = try await client.manager.request(.row(1))
        #expect(try await client.manager.request(.row(1)) == Row(id: 1, name: "Ada"))
        #expect(client.transport.requests.map { $0.fields["If-None-Match"] } == [nil, "\"1\""])
        _ = try await client.manager.request(.row(1))

        #expect(
            client.transport.requests.count == 2, "The confirmation says that it is fresh for 5 seconds now.")
        #expect(await client.manager.metrics.endpoints[0].counts.confirmations == 1)
    }

    @Test(
        "no-store keeps nothing, no-cache asks each time",
        arguments: [("no-store, max-age=60", nil), ("no-cache, max-age=60", "\"1\"")] as [(String, String?)])
    func directives(control: String, sent: String?) async throws {
        let client = try TestClient { _ in
            .json(#"{"id": 1, "name": "Ada"}"#, ["Cache-Control": control, "ETag": "\"1\""])
        }

        for _ in 0..<2 { _ = try await client.manager.request(.row(1)) }

        #expect(client.transport.requests.map { $0.fields["If-None-Match"] } == [nil, sent])
    }

    @Test("A call may ask for a reload, or for nothing kept")
    func freshness() async throws {
        let client = try TestClient { _ in
            .json(#"{"id": 1, "name": "Ada"}"#, ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        }
        _ = try await client.manager.request(.row(1))

        _ = try await client.manager.request(.row(1).with { $0.freshness = .reload })
        _ = try await client.manager.request(.row(1).with { $0.freshness = .none })
        _ = try await client.manager.request(.row(1))

        #expect(client.transport.requests.map { $0.fields["If-None-Match"] } == [nil, "\"1\"", nil])
    }

    @Test("Nobody gets the answer that somebody else got")
    func persons() async throws {
        let client = try TestClient(tokens: .sample()) { [fresh] request in
            .json(#"{"id": 1, "name": "\#(request.token ?? "nobody")"}"#, fresh)
        }

        let names = try await [
            client.manager.request(.row(1)).name,
            client.manager.request(.row(1, access: .anonymous)).name,
            client.manager.request(.row(1, access: .explicit(.sample(1, id: "grace")))).name,
        ]
        try await client.manager.use(.sample(1, id: "alan"))
        let later = try await client.manager.request(.row(1)).name

        #expect(names == ["access-ada-1", "nobody", "access-grace-1"])
        #expect(later == "access-alan-1")
    }

    @Test("Signing out and in again forgets what was kept")
    func useForgets() async throws {
        let client = try TestClient(tokens: .sample()) { [fresh] _ in
            .json(#"{"id": 1, "name": "Ada"}"#, fresh)
        }
        _ = try await client.manager.request(.row(1))

        try await client.manager.use(nil)
        #expect(await client.manager.metrics.storedAnswers == 0)
        try await client.manager.use(.sample())
        _ = try await client.manager.request(.row(1))

        #expect(client.transport.requests.count == 2)
    }

    @Test("A change forgets what is kept at its path, below and above it, and nothing else")
    func invalidation() async throws {
        let client = try TestClient { [fresh] request in
            request.method == .get ? .json(#"{"id": 1, "name": "Ada"}"#, fresh) : .row
        }
        let all = ["v1/rows", "v1/rows/1", "v1/rows/1/notes", "v1/rows/2", "v1/rowsets", "v1/users"]
        for path in all { _ = try await client.manager.request(Endpoint<Row>(.get, path)) }

        _ = try await client.manager.request(Endpoint<Row>(.patch, "v1/rows/:id", ["id": "1"]))
        let before = client.transport.requests.count
        for path in all { _ = try await client.manager.request(Endpoint<Row>(.get, path)) }

        #expect(
            client.transport.requests[before...].map { $0.url.dropFirst("http://server.test/".count) }
                == ["v1/rows", "v1/rows/1", "v1/rows/1/notes"])
    }

    @Test(
        "A change that the server refuses forgets nothing, one whose outcome is not known does",
        arguments: [(422, 1), (500, 2), (200, 2)])
    func refusedChange(status: Int, requests: Int) async throws {
        let client = try TestClient { [fresh] request in
            request.method == .get ? .json(#"{"id": 1, "name": "Ada"}"#, fresh) : .json("{}", status: status)
        }
        _ = try await client.manager.request(.row(1))

        _ = await failure { try await client.manager.request(Endpoint<NoAnswer>(.put, "v1/rows/1")) }
        _ = try await client.manager.request(.row(1))

        #expect(client.requests("/rows/1").filter { $0.method == .get }.count == requests)
    }

    @Test("An answer that was asked for before a change and comes after it is not kept")
    func race() async throws {
        let client = try TestClient { [fresh] request in
            request.method == .get ? .json(#"{"id": 1, "name": "old"}"#, fresh) : .row
        }
        client.transport.hold { $0.method == .get }
        let early = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)
        _ = try await client.manager.request(Endpoint<Row>(.patch, "v1/rows/1"))
        let late = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(2)

        client.transport.releaseOne(at: 0)
        #expect(try await early.value.name == "old")
        #expect(await client.manager.metrics.storedAnswers == 0)
        client.transport.release()

        #expect(try await late.value.name == "old")
        #expect(await client.manager.metrics.storedAnswers == 1)
    }

    @Test("An answer that comes after a sign-out is not kept")
    func raceWithSignOut() async throws {
        let client = try TestClient(tokens: .sample()) { [fresh] _ in
            .json(#"{"id": 1, "name": "Ada"}"#, fresh)
        }
        client.transport.hold()
        let call = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)

        try await client.manager.use(nil)
        client.transport.release()

        _ = try await call.value
        #expect(await client.manager.metrics.storedAnswers == 0)
    }

    @Test("Answers that are errors are not kept")
    func errors() async throws {
        let client = try TestClient { [fresh] _ in .json("{}", status: 404, fresh) }

        for _ in 0..<2 { _ = await failure { try await client.manager.request(.row(1)) } }

        #expect(client.transport.requests.count == 2)
    }

    @Test("What is kept stays within its bytes, and what was not used for longest goes first")
    func bounded() async throws {
        let body = #"{"id": 1, "name": "\#(String(repeating: "x", count: 1_000))"}"#
        let client = try TestClient(configure: { $0.cacheLimit = 16_000 }) { _ in
            .json(body, ["Cache-Control": "max-age=60"])
        }
        for number in 0..<8 { _ = try await client.manager.request(.row(number)) }
        #expect(await client.manager.metrics.storedAnswers == 8)
        _ = try await client.manager.request(.row(0))

        for number in 8..<20 {
            _ = try await client.manager.request(.row(number))
            _ = try await client.manager.request(.row(0))
            #expect(await client.manager.metrics.storedBytes <= 16_000)
        }

        #expect(client.requests("/rows/0").count == 1)
        _ = try await client.manager.request(.row(19))
        #expect(client.requests("/rows/19").count == 1)
        _ = try await client.manager.request(.row(1))
        #expect(client.requests("/rows/1").count == 2)
    }

    @Test("An answer that needs more than a quarter of the room is not kept")
    func tooLarge() async throws {
        let client = try TestClient(configure: { $0.cacheLimit = 1_000 }) { [fresh] _ in
            .json(#"{"id": 1, "name": "Ada"}"#, fresh)
        }

        _ = try await client.manager.request(.row(1))

        #expect(await client.manager.metrics.storedBytes == 0)
    }
}

@Suite("The same question at the same time is asked once")
struct SingleFlightTests {
    @Test("Who asks while it is under way gets its answer")
    func joins() async throws {
        let client = try TestClient { _ in .row }
        client.transport.hold()
        let calls = (0..<20).map { _ in Task { try await client.manager.request(.row(1)) } }
        await client.transport.waitUntilHeld(1)
        #expect(await eventually { await client.manager.flights.waitingCount == 19 })

        client.transport.release()

        for call in calls { #expect(try await call.value.id == 1) }
        #expect(client.transport.requests.count == 1)
        let counts = await client.manager.metrics.endpoints[0].counts
        #expect(counts.calls == 20 && counts.joins == 19)
    }

    @Test("A failure reaches all of them, and who asks later asks anew")
    func failures() async throws {
        let client = try TestClient { _ in .json("", status: 404) }
        client.transport.hold()
        let calls = (0..<5).map { _ in Task { try await client.manager.request(.row(1)) } }
        await client.transport.waitUntilHeld(1)
        #expect(await eventually { await client.manager.flights.waitingCount == 4 })

        client.transport.release()

        for call in calls { #expect(await failure { try await call.value }?.status == 404) }
        #expect(await failure { try await client.manager.request(.row(1)) }?.status == 404)
        #expect(client.transport.requests.count == 2)
    }

    @Test("Where who asked is cancelled, one of the others asks in their place")
    func leaderLeaves() async throws {
        let client = try TestClient { _ in .row }
        client.transport.hold()
        let leader = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)
        let others = (0..<5).map { _ in Task { try await client.manager.request(.row(1)) } }
        #expect(await eventually { await client.manager.flights.waitingCount == 5 })

        leader.cancel()
        await #expect(throws: CancellationError.self) { try await leader.value }
        await client.transport.waitUntilHeld(1)
        #expect(await eventually { await client.manager.flights.waitingCount == 4 })
        client.transport.release()

        for other in others { #expect(try await other.value.id == 1) }
        #expect(client.transport.requests.count == 2)
    }

    @Test("Where who asked is cancelled after somebody else signed in, the others do not ask as that one")
    func leaderLeavesAfterChange() async throws {
        let client = try TestClient(tokens: .sample()) { _ in .row }
        client.transport.hold()
        let leader = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)
        let follower = Task { try await client.manager.request(.row(1)) }
        #expect(await eventually { await client.manager.flights.waitingCount == 1 })
        try await client.manager.use(.sample(1, id: "grace"))

        leader.cancel()
        client.transport.release()

        #expect(await failure { try await follower.value }?.code == .notAuthenticated)
        #expect(client.transport.requests.map(\.token) == ["access-ada-1"])
    }

    @Test("Who waits and is cancelled leaves alone")
    func followerLeaves() async throws {
        let client = try TestClient { _ in .row }
        client.transport.hold()
        let leader = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)
        let follower = Task { try await client.manager.request(.row(1)) }
        #expect(await eventually { await client.manager.flights.waitingCount == 1 })

        follower.cancel()
        await #expect(throws: CancellationError.self) { try await follower.value }
        client.transport.release()

        #expect(try await leader.value.id == 1)
    }

    @Test("Calls that differ in what they ask, by whom, or how long they wait, do not join")
    func different() async throws {
        let client = try TestClient(tokens: .sample()) { _ in .row }
        client.transport.hold()
        let endpoints: [Endpoint<Row>] = [
            .row(1), .row(2), .row(1, access: .anonymous), .row(1).with { $0.timeLimit = .seconds(1) },
            .row(1).with { $0.freshness = .reload }, .row(1).with { $0.freshness = .none },
            .row(1).with { $0.fields["Accept-Language"] = "de" }, .create(Row(id: 1, name: "")),
            .create(Row(id: 1, name: "")),
        ]
        let calls = endpoints.map { endpoint in Task { try await client.manager.request(endpoint) } }

        await client.transport.waitUntilHeld(endpoints.count)
        client.transport.release()

        for call in calls { _ = try await call.value }
        #expect(client.transport.requests.count == endpoints.count)
    }
}

@Suite("Cache-Control")
struct CacheControlTests {
    @Test("Directives are read in any case, with spaces and quotes")
    func directives() {
        let control = CacheControl(["cache-control": " Private , Max-Age=\"7\" ,NO-CACHE,x=y"])
        #expect(control.maxAge == 7)
        #expect(control.isNoCache && !control.isNoStore)
        #expect(CacheControl(["Cache-Control": "no-store"]).isNoStore)
    }

    @Test(
        "A number that can't be read is stale, one too large is not",
        arguments: [
            ("max-age=", 0), ("max-age=-1", 0), ("max-age=x", 0), ("max-age=99999999999999999999", 1 << 31),
        ])
    func numbers(text: String, seconds: Int) {
        #expect(CacheControl(["Cache-Control": text]).maxAge == seconds)
    }
}
