import AtriumKit
import TestSupport
import Testing

@testable import URLSessionTransport

@Suite("The transport's connections", .serialized)
struct ConnectionTests {
    /// In a process of its own: libcurl does not use again what was idle for 118 seconds, and a test among
    /// thousands may wait as long between two requests.
    @Test("Requests one after the other share a connection")
    func reuse() async {
        await #expect(processExitsWith: .success) {
            let server = RawServer { _ in .body("ok") }
            let transport = URLSessionTransport()

            for _ in 0..<20 { _ = try await transport.send(HTTPRequest(.get, server.url + "/")) }
            _ = try await transport.send(
                HTTPRequest(.post, server.url + "/", body: .bytes([1, 2, 3])))

            #expect(server.requests.count == 21)
            #expect(Set(server.requests.map(\.connection)) == [0])
        }
    }

    @Test("1,000 requests at a time share few connections and few threads", .timeLimit(.minutes(2)))
    func many() async throws {
        let server = try ReferenceServer()
        let transport = URLSessionTransport(connections: 32)
        let threads = threadCount()
        var answered = 0
        var mostThreads = 0

        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            let url = server.url("v1/entities?size=1")
            for _ in 0..<1_000 {
                group.addTask {
                    let request = HTTPRequest(.get, url, timeLimit: .seconds(90))
                    return (try await transport.send(request).status, threadCount())
                }
            }
            for try await (status, threads) in group {
                answered += status == 200 ? 1 : 0
                mostThreads = max(mostThreads, threads)
            }
        }

        #expect(answered == 1_000)
        // libcurl closes connections that few requests are left for, and opens others for the next.
        #expect(try server.statistics().connections < 300)
        #expect(mostThreads < threads + 100)
    }

    @Test("At most as many connections as allowed are open at a time")
    func limit() async throws {
        let server = RawServer { _ in .body("ok") }
        let transport = URLSessionTransport(connections: 3)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 {
                group.addTask { _ = try await transport.send(HTTPRequest(.get, server.url + "/")) }
            }
            try await group.waitForAll()
        }

        #expect(server.requests.count == 12)
        #expect(server.mostConnections <= 3)
    }

    /// Answers the first request of each connection, and closes it at the second.
    private static func forgetful() -> RawServer {
        RawServer { $0.number == 0 ? .body("ok") : .nothing }
    }

    @Test(
        "A request that must not be done twice is not sent twice where a connection that was used before ends",
        arguments: [
            HTTPRequest(.post, "/orders", body: .bytes(Array("{}".utf8))), HTTPRequest(.post, "/orders"),
            HTTPRequest(.delete, "/orders/1"), HTTPRequest(.patch, "/orders/1", body: .bytes([1])),
            HTTPRequest(.put, "/orders/1", body: .bytes([1])),
        ])
    func noResending(_ request: HTTPRequest) async throws {
        let server = Self.forgetful()
        let transport = URLSessionTransport(connections: 1)
        _ = try await transport.send(HTTPRequest(.get, server.url + "/first"))
        var request = request
        request.url = server.url + request.url

        let answer = try? await transport.send(request)

        let whole = server.requests.filter { $0.line.hasPrefix(request.method.rawValue) }
        #expect(whole.count == 1)
        // A connection of its own gets an answer; one that was used before is lost, and that is told.
        #expect(answer == nil || whole.first?.connection == 1)
    }

    @Test("A request that only reads may be sent again on a new connection")
    func resending() async throws {
        let server = Self.forgetful()
        let transport = URLSessionTransport(connections: 1)

        for _ in 0..<3 {
            #expect(try await transport.send(HTTPRequest(.get, server.url + "/")).text == "ok")
        }
    }

    @Test("A transport that nobody has any more closes its connections")
    func end() async throws {
        let server = RawServer { _ in .body("ok") }
        do {
            let transport = URLSessionTransport()
            _ = try await transport.send(HTTPRequest(.get, server.url + "/"))
        }

        for _ in 0..<100_000 where server.openConnections > 0 { await Task.yield() }

        #expect(server.openConnections == 0)
    }
}
