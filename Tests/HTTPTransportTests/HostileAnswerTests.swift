import AtriumKit
import Foundation
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("Invalid responses", .serialized)
struct HostileAnswerTests {
    private let transport = CurlTransport()

    @Test(
        "Every response is returned or fails, and the next request works",
        arguments: [
            "", "\r\n\r\n", "nonsense\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
            "HTTP/1.1 99 Low\r\n\r\n", "HTTP/1.1 1000 High\r\n\r\n", "HTTP/1.1 200\r\n\r\n",
            "HTTP/1.1 999 Odd\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nNo colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854774784\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd",
            "HTTP/1.1 200 OK\r\nX: \u{FFFD}\u{1F600}\r\n: empty\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno",
            "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nno",
            "HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=x, nonce=\"y\"\r\nContent-Length: 2\r\n\r\nno",
            "HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer realm=\r\nContent-Length: 2\r\n\r\nno",
            "HTTP/1.1 401 No\r\nWWW-Authenticate: \r\nContent-Length: 2\r\n\r\nno",
            "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno",
            "HTTP/1.1 302 Found\r\nLocation: //\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: ://:x\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: http://[::\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: //a b:99999/%zz?%\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: ////\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: ?q=é#\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: \r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: mailto:a@b\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
        ])
    func anything(_ answer: String) async throws {
        let server = RawServer { request in
            request.line.hasPrefix("GET /odd") ? RawServer.Answer(answer, closes: true) : .body("ok")
        }

        let request = HTTPRequest(.get, server.url + "/odd", timeLimit: .seconds(60))
        var outcome = "none"
        do {
            outcome = "\(try await transport.send(request).status)"
        } catch let error as TransportError {
            outcome = "\(error.code)"
        }
        let next = try await transport.send(HTTPRequest(.get, server.url + "/next"))

        #expect(next.text == "ok")
        // Nothing hangs until the limit.
        #expect(outcome != "none" && outcome != "timedOut", "\(answer.debugDescription): \(outcome)")
    }

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

    @Test("A body may have as many bytes as the limit and no more")
    func limit() throws {
        let request = HTTPRequest(.get, "http://127.0.0.1/", answerLimit: 100)
        let body = ResponseBody(limit: 100, nil) { _ in }
        try body.begin(HTTPResponse(status: 200), -1, of: request)
        try body.append(Data(count: 60), of: request)
        try body.append(Data(count: 40), of: request)

        #expect(throws: TransportError.self) { try body.append(Data(count: 1), of: request) }
        #expect(try body.finish(of: request).body.count == 100)
    }

    @Test("A Content-Length above the limit is refused at once")
    func announced() async throws {
        let server = RawServer { _ in RawServer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n") }

        _ = try await transportError(.answerTooLarge) {
            _ = try await transport.send(HTTPRequest(.get, server.url + "/", answerLimit: 100))
        }
    }
}
