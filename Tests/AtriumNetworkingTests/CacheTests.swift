import AtriumKit
import AtriumTesting
import Synchronization
import Testing

@testable import AtriumNetworking

@Suite("Responses are cached as the server allows (RFC 9111)")
struct ResponseCacheTests {
    private let fresh: HTTPFields = ["Cache-Control": "private, max-age=5"]
    private let tagged: HTTPFields = [
        "Cache-Control": "private, max-age=0, must-revalidate", "ETag": "\"1\"",
    ]

    @Test("A fresh response is used, a stale one is not")
    func maxAge() async throws {
        let client = try TestClient { [fresh] _ in .json(#"{"id": 1, "name": "Ada"}"#, fresh) }

        for _ in 0..<3 { _ = try await client.manager.request(.row(1)) }
        client.clock.advance(seconds: 4)
        _ = try await client.manager.request(.row(1))
        #expect(client.transport.requests.count == 1)
        client.clock.advance(seconds: 1)
        _ = try await client.manager.request(.row(1))

        #expect(client.transport.requests.count == 2)
        #expect(await client.manager.metrics.endpoints[0].hits == 3)
    }

    @Test("The age of a response on arrival counts")
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

    @Test("A response with `Vary: *` is not cached")
    func variesByAll() async throws {
        let client = try TestClient { _ in
            .json(#"{"id": 1, "name": "Ada"}"#, ["Cache-Control": "max-age=5", "Vary": "*"])
        }

        for _ in 0..<2 { _ = try await client.manager.request(.row(1)) }

        #expect(client.transport.requests.count == 2)
    }

    @Test("A call with Range or If-None-Match does not use the cache")
    func ownConditions() async throws {
        let client = try TestClient { [fresh] _ in .json(#"{"id": 1, "name": "Ada"}"#, fresh) }

        for field in ["Range", "If-None-Match"] {
            for _ in 0..<2 {
                _ = try await client.manager.request(.row(1).with { $0.fields[field] = "x" })
            }
        }

        #expect(client.transport.requests.count == 4)
    }

    @Test("A 304 response does not change the fields of the cached body")
    func bodyFields() async throws {
        let turns = Turns([
            .success(.json(#"{"id": 1, "name": "Ada"}"#, tagged)),
            .success(HTTPResponse(status: 304, fields: ["Content-Type": "text/html", "ETag": "\"1\""])),
        ])
        let client = try TestClient { _ in try turns.next() }

        for _ in 0..<2 { #expect(try await client.manager.request(.row(1)).name == "Ada") }
    }

    @Test(
        "A 304 response for another version of the body is not cached, and the next request has no condition")
    func otherVersion() async throws {
        let turns = Turns([
            .success(.json(#"{"id": 1, "name": "Ada"}"#, tagged)),
            .success(HTTPResponse(status: 304, fields: ["ETag": "\"2\""])),
            .success(.json(#"{"id": 1, "name": "Grace"}"#, ["ETag": "\"2\""])),
        ])
        let client = try TestClient { _ in try turns.next() }

        var names: [String] = []
        for _ in 0..<3 { names.append(try await client.manager.request(.row(1)).name) }

        #expect(names == ["Ada", "Ada", "Grace"])
        #expect(client.transport.requests.map { $0.fields["If-None-Match"] } == [nil, "\"1\"", nil])
    }

    @Test(
        "Paths are related by whole segments", arguments: [("/v1/rows", true), ("/v1/row", false)])
    func prefixes(path: String, areRelated: Bool) {
        #expect(PathPrefix.areRelated(path, "/v1/rows/7") == areRelated)
        #expect(PathPrefix.areRelated("/v1/rows/7", path) == areRelated)
    }

    @Test("A change that was never sent invalidates nothing")
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

    @Test("If the clock is set back, no cached response counts as fresh")
    func clockSetBack() async throws {
        let client = try TestClient { [fresh] _ in .json(#"{"id": 1, "name": "Ada"}"#, fresh) }

        _ = try await client.manager.request(.row(1))
        client.clock.advance(seconds: -100)
        _ = try await client.manager.request(.row(1))

        #expect(client.transport.requests.count == 2)
    }

    @Test("A stale response with an ETag is used after the server confirms it")
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
        #expect(await client.manager.metrics.endpoints[0].confirmations == 1)
    }

    @Test(
        "no-store caches nothing; no-cache revalidates each time",
        arguments: [("no-store, max-age=60", nil), ("no-cache, max-age=60", "\"1\"")] as [(String, String?)])
    func directives(control: String, sent: String?) async throws {
        let client = try TestClient { _ in
            .json(#"{"id": 1, "name": "Ada"}"#, ["Cache-Control": control, "ETag": "\"1\""])
        }

        for _ in 0..<2 { _ = try await client.manager.request(.row(1)) }

        #expect(client.transport.requests.map { $0.fields["If-None-Match"] } == [nil, sent])
    }

    @Test("A call may force a reload or bypass the cache")
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

    @Test("A response that must not be stored removes the one before")
    func notStored() async throws {
        let answers = Counter()
        let client = try TestClient { _ in
            answers.add()
            return .json(
                #"{"id": 1, "name": "Ada"}"#,
                ["Cache-Control": answers.count == 1 ? "max-age=60" : "no-store"])
        }

        _ = try await client.manager.request(.row(1))
        _ = try await client.manager.request(.row(1).with { $0.freshness = .reload })
        _ = try await client.manager.request(.row(1))

        #expect(client.transport.requests.count == 3)
    }

    @Test("A cached response is never used for another person")
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

    @Test("A sign-out and sign-in clear the cache")
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

    @Test("A change invalidates its path, the paths below and above it, and nothing else")
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
        "A refused change invalidates nothing; one with an unknown outcome invalidates",
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

    @Test("A response that arrives after a change is not cached")
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

    @Test("A response that arrives after that of a later request does not replace it")
    func slowResponse() async throws {
        let bodies = Mutex(["old", "new"])
        let client = try TestClient { [fresh] _ in
            .json(#"{"id": 1, "name": "\#(bodies.withLock { $0.removeFirst() })"}"#, fresh)
        }
        client.transport.hold()
        let slow = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(1)
        let quick = Task { try await client.manager.request(.row(1)) }
        await client.transport.waitUntilHeld(2)

        client.transport.releaseOne(at: 1)
        let second = try await quick.value.name
        client.transport.release()
        let first = try await slow.value.name

        #expect(first != second)
        #expect(try await client.manager.request(.row(1)).name == second)
    }

    @Test("A response that arrives after a sign-out is not cached")
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

    @Test("Error responses are not cached")
    func errors() async throws {
        let client = try TestClient { [fresh] _ in .json("{}", status: 404, fresh) }

        for _ in 0..<2 { _ = await failure { try await client.manager.request(.row(1)) } }

        #expect(client.transport.requests.count == 2)
    }

    @Test("The cache stays within its limit and evicts the least recently used response")
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

    @Test("A response larger than a quarter of the cache is not cached")
    func tooLarge() async throws {
        let client = try TestClient(configure: { $0.cacheLimit = 1_000 }) { [fresh] _ in
            .json(#"{"id": 1, "name": "Ada"}"#, fresh)
        }

        _ = try await client.manager.request(.row(1))

        #expect(await client.manager.metrics.storedBytes == 0)
    }
}

@Suite("Cache-Control")
struct CacheControlTests {
    @Test("Directives may have any case, spaces and quotes")
    func directives() {
        let control = CacheControl(["cache-control": " Private , Max-Age=\"7\" ,NO-CACHE,x=y"])
        #expect(control.maxAge == 7)
        #expect(control.isNoCache && !control.isNoStore)
        #expect(CacheControl(["Cache-Control": "no-store"]).isNoStore)
    }

    @Test(
        "An invalid number counts as stale; a huge one is limited",
        arguments: [
            ("max-age=", 0), ("max-age=-1", 0), ("max-age=x", 0), ("max-age=99999999999999999999", 1 << 31),
        ])
    func numbers(text: String, seconds: Int) {
        #expect(CacheControl(["Cache-Control": text]).maxAge == seconds)
    }
}
