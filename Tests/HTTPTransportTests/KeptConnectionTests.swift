import AtriumKit
import RawServer
import Testing

@testable import HTTPTransport

/// What a server sends on a kept connection that nobody asked for is never an answer.
@Suite("Kept connections are looked at before they are used again", .serialized)
struct KeptConnectionTests {
    private static let second = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"
    private static let timeout = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"

    private static func server(_ idle: String, closes: Bool, together: Bool = false) -> RawServer {
        RawServer { request in
            var answer = RawServer.Answer.body(String(request.line.split(separator: " ")[1].dropFirst()))
            if together { answer.bytes += Array(idle.utf8) } else { answer.idle = Array(idle.utf8) }
            answer.closes = closes
            return answer
        }
    }

    private static let cases: [(String, Bool, Bool)] = [
        (second, false, false), (second, false, true), (second, true, false), (timeout, true, false),
        (timeout, true, true), ("x", false, false), ("", true, false),
    ]

    @Test("Each request gets its own answer, and each change is sent once", arguments: cases)
    func own(_ idle: String, _ closes: Bool, _ together: Bool) async throws {
        let server = Self.server(idle, closes: closes, together: together)
        let transport = CurlTransport()

        for number in 1...6 {
            let method: HTTPMethod = number.isMultiple(of: 2) ? .post : .get
            let body: HTTPBody = method == .post ? .bytes([1]) : .none
            let answer = try await transport.send(
                HTTPRequest(method, "\(server.url)/\(number)", body: body, timeLimit: .seconds(60)))
            if !together { server.sendIdle() }

            #expect(answer.text == "\(number)" && answer.status == 200)
        }

        #expect(server.requests.map { String($0.line.split(separator: " ")[1]) } == (1...6).map { "/\($0)" })
    }

    @Test("A connection on which nothing came is used again")
    func kept() async throws {
        await #expect(processExitsWith: .success) {
            let server = RawServer { _ in .body("ok") }
            let transport = CurlTransport()

            for _ in 0..<5 { _ = try await transport.send(HTTPRequest(.get, server.url + "/")) }

            #expect(server.connectionCount == 1)
        }
    }
}
