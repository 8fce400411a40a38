import AtriumKit
import RawServer
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("Responses without an end", .serialized)
struct HostileAnswerTests {
    private let transport = CurlTransport()

    @Test("An endless head fails")
    func endlessHead() async throws {
        let server = RawServer { _ in
            var answer = RawServer.Answer(
                "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 10_000))
            answer.isEndless = true
            return answer
        }

        await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest(.get, server.url + "/", timeLimit: .seconds(120)))
        }
    }

    @Test("An endless body fails at the size limit, and its connection is closed")
    func endlessBody() async throws {
        let server = RawServer { request in
            guard request.line.hasPrefix("GET /endless") else { return .body("ok") }
            var answer = RawServer.Answer(String(repeating: "10\r\n0123456789abcdef\r\n", count: 4_000))
            answer.bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8) + answer.bytes
            answer.isEndless = true
            return answer
        }

        let error = try await transportError(.answerTooLarge) {
            _ = try await transport.send(
                HTTPRequest(.get, server.url + "/endless", timeLimit: .seconds(120), answerLimit: 50_000))
        }

        #expect(error.message.hasSuffix("/endless failed: its response has more than 50000 bytes."))
        // The kernel may buffer any amount meanwhile; only the end of the connection can be checked.
        await eventually("the connection of the endless answer is closed") { server.openConnections == 0 }
    }

    @Test("A body may have as many bytes as the limit and no more", arguments: [99, 100, 101])
    func limit(_ size: Int) async throws {
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        let server = RawServer { _ in
            RawServer.Answer(head + String(repeating: "x", count: size), closes: true)
        }

        let answer = try? await transport.send(HTTPRequest(.get, server.url + "/", answerLimit: 100))

        #expect(answer?.body.count == (size <= 100 ? size : nil))
    }

    @Test("A Content-Length above the limit is refused at once")
    func announced() async throws {
        let server = RawServer { _ in RawServer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n") }

        _ = try await transportError(.answerTooLarge) {
            _ = try await transport.send(HTTPRequest(.get, server.url + "/", answerLimit: 100))
        }
    }
}
