import AtriumKit
import Dispatch
import RawServer
import Synchronization
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("The transport's connections", .serialized)
struct ConnectionTests {
    /// Runs in its own process: libcurl does not reuse a connection that was idle for 118 seconds, and
    /// a test among thousands may wait that long between two requests.
    @Test("Sequential requests share a connection")
    func reuse() async {
        await #expect(processExitsWith: .success) {
            let server = RawServer { _ in .body("ok") }
            let transport = CurlTransport()

            for _ in 0..<20 { _ = try await transport.send(HTTPRequest(.get, server.url + "/")) }
            _ = try await transport.send(
                HTTPRequest(.post, server.url + "/", body: .bytes([1, 2, 3])))

            #expect(server.requests.count == 21)
            #expect(Set(server.requests.map(\.connection)) == [0])
        }
    }

    @Test("1,000 requests use exactly the connections allowed, and few threads", .timeLimit(.minutes(5)))
    func limit() async throws {
        let connections = 32
        let inFlight = Mutex((now: 0, most: 0, arrived: 0))
        let allInUse = DispatchSemaphore(value: 0)
        // Each connection has one request in flight, so requests in flight count the connections in use. The
        // first answers wait until all connections are in use.
        let server = RawServer { _ in
            let number = inFlight.withLock { state -> Int in
                state.now += 1
                state.most = max(state.most, state.now)
                state.arrived += 1
                return state.arrived
            }
            if number == connections { for _ in 0..<connections { allInUse.signal() } }
            if number <= connections { allInUse.wait() }
            inFlight.withLock { $0.now -= 1 }
            return .body("ok")
        }
        let transport = CurlTransport(TransportLimits(connections: connections))

        let threads = threadCount()
        var mostThreads = 0

        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for _ in 0..<1_000 {
                group.addTask {
                    let request = HTTPRequest(.get, server.url + "/", timeLimit: .seconds(90))
                    return (try await transport.send(request).status, threadCount())
                }
            }
            for try await (status, threads) in group {
                #expect(status == 200)
                mostThreads = max(mostThreads, threads)
            }
        }

        #expect(server.requests.count == 1_000)
        #expect(inFlight.withLock { $0.most } == connections)
        // The server has a thread for each connection; the tests that run beside this one have some, too.
        #expect(mostThreads < threads + connections + 100)
    }

    /// Creates a server that answers the first request of each connection and closes it at the second.
    private static func forgetful() -> RawServer {
        RawServer { $0.number == 0 ? .body("ok") : .nothing }
    }

    @Test(
        "A request that must not be repeated is sent once, also if a reused connection ends",
        arguments: [
            HTTPRequest(.post, "/orders", body: .bytes(Array("{}".utf8))), HTTPRequest(.post, "/orders"),
            HTTPRequest(.delete, "/orders/1"), HTTPRequest(.patch, "/orders/1", body: .bytes([1])),
            HTTPRequest(.put, "/orders/1", body: .bytes([1])),
        ])
    func noResending(_ request: HTTPRequest) async throws {
        let server = Self.forgetful()
        let transport = CurlTransport(TransportLimits(connections: 1))
        _ = try await transport.send(HTTPRequest(.get, server.url + "/first"))
        var request = request
        request.url = server.url + request.url

        let answer = try? await transport.send(request)

        let whole = server.requests.filter { $0.line.hasPrefix(request.method.rawValue) }
        #expect(whole.count == 1)
        // On a new connection the request is answered; on a reused one it fails.
        #expect(answer == nil || whole.first?.connection == 1)
    }

    @Test("A safe request may be repeated on a new connection")
    func resending() async throws {
        let server = Self.forgetful()
        let transport = CurlTransport(TransportLimits(connections: 1))

        for _ in 0..<3 {
            #expect(try await transport.send(HTTPRequest(.get, server.url + "/")).text == "ok")
        }
    }

    @Test("A transport that is released closes its connections")
    func end() async throws {
        let server = RawServer { _ in .body("ok") }
        do {
            let transport = CurlTransport()
            _ = try await transport.send(HTTPRequest(.get, server.url + "/"))
        }

        await eventually("the connection is closed") { server.openConnections == 0 }
    }
}
