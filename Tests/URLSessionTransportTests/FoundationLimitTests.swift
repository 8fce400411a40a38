import AtriumKit
import Dispatch
import Foundation
import FoundationNetworking
import Testing

@testable import URLSessionTransport

@Suite("Crashes inside FoundationNetworking", .serialized)
struct FoundationLimitTests {
    @Test("A redirect during the cancellation of its request does not crash")
    func cancelledRedirect() async {
        await #expect(processExitsWith: .success) {
            for round in 0..<40 { try await CancelledRedirect().play(patience: 64 << (round % 6)) }
        }
    }

    @Test("A Content-Length of 2^63 - 1 crashes (if this fails, remove the known limit)")
    func largestLength() async {
        await #expect(processExitsWith: .failure) {
            let server = RawServer { _ in
                RawServer.Answer(
                    "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\nX: y\r\n\r\n", closes: true)
            }
            _ = try? await URLSessionTransport().send(HTTPRequest(.get, server.url + "/"))
        }
    }
}

/// Delivers a cancellation to the session's queue just before the redirect, by blocking the queue until both
/// have arrived in this order.
private final class CancelledRedirect: Sendable {
    private let session = TransportSession(connections: 4)
    private let server: RawServer
    private let asked = DispatchSemaphore(value: 0)
    private let redirects = DispatchSemaphore(value: 0)
    private let held = DispatchSemaphore(value: 0)
    private let goesOn = DispatchSemaphore(value: 0)

    init() {
        server = RawServer { [asked, redirects] request in
            guard request.line.hasPrefix("GET /old") else { return .body("there") }
            asked.signal()
            redirects.wait()
            return .body("", status: "302 Found", fields: "Location: /new\r\n")
        }
    }

    /// - Parameter patience: How many turns to wait for each event to arrive at the queue.
    /// - Throws: The error of the request that is not cancelled.
    func play(patience: Int) async throws {
        let cancelled = Task { try await send("/old") }
        await wait(for: asked)
        session.session.getAllTasks { [held, goesOn] _ in
            held.signal()
            goesOn.wait()
        }
        await wait(for: held)

        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await giveWay(patience)
        redirects.signal()
        await giveWay(patience)
        goesOn.signal()

        // Runs after the cancellation and the redirect.
        #expect(try await send("/next").text == "there")
    }

    private func send(_ path: String) async throws -> HTTPResponse {
        let request = HTTPRequest(.get, server.url + path)
        let exchange = try Exchange(request, ResponseBody(limit: 1_000, nil) { _ in })
        return try await session.run(exchange, until: .now + .seconds(300))
    }

    /// Waits on a new thread, so as not to block one of the few threads for tasks.
    private func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }

    private func giveWay(_ turns: Int) async {
        for _ in 0..<turns {
            sched_yield()
            await Task.yield()
        }
    }
}
