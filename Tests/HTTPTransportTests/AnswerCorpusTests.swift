import AtriumKit
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("Odd and hostile responses", .serialized)
struct AnswerCorpusTests {
    private let transport = CurlTransport()

    private func outcome(_ request: HTTPRequest) async throws -> String {
        do {
            let answer = try await transport.send(request)
            return "\(answer.status) \(answer.text)"
        } catch let error as TransportError {
            return error.code.rawValue
        }
    }

    @Test(
        "Each is the right response or a typed error, and the next request works", arguments: AnswerCorpus.all
    )
    func corpus(_ answer: AnswerCorpus.Answer) async throws {
        let server = RawServer { request in
            request.line.hasPrefix("GET /odd")
                ? RawServer.Answer(bytes: answer.bytes, closes: true) : .body("next")
        }

        let outcome = try await self.outcome(HTTPRequest(.get, server.url + "/odd"))
        let next = try await self.outcome(HTTPRequest(.get, server.url + "/next"))

        #expect(outcome == answer.outcome)
        #expect(next == "200 next")
    }

    @Test("A change is sent once, whatever the answer is", arguments: AnswerCorpus.all)
    func change(_ answer: AnswerCorpus.Answer) async throws {
        let server = RawServer { _ in RawServer.Answer(bytes: answer.bytes, closes: true) }

        _ = try await outcome(HTTPRequest(.post, server.url + "/odd", body: .bytes([1, 2, 3])))

        #expect(server.requests.map(\.body) == [[1, 2, 3]])
    }

    @Test("A value in Latin-1 is decoded, and control characters become spaces")
    func values() async throws {
        let server = RawServer { _ in
            var answer = RawServer.Answer.body(
                "ok", fields: "X-Name: caf#\r\nX-Color: a\u{1B}[2Jb\r\nX-Long: a\r\n b\r\n")
            if let index = answer.bytes.firstIndex(of: UInt8(ascii: "#")) { answer.bytes[index] = 0xE9 }
            return answer
        }

        let answer = try await transport.send(HTTPRequest(.get, server.url + "/"))

        #expect(answer.fields["X-Name"] == "café")
        #expect(answer.fields["X-Color"] == "a [2Jb")
        #expect(answer.fields["X-Long"] == "a b")
    }

    @Test("A head may have many fields, and many lines that continue one: it is read in linear time")
    func manyLines() throws {
        var head = ResponseHead()
        let lines = ["HTTP/1.1 200 OK\r\n"] + [String](repeating: "X:\r\n", count: 30_000)
        let folded = [String](repeating: " a\r\n", count: 30_000) + ["\r\n"]

        for line in lines + folded { try Array(line.utf8).withUnsafeBytes { try head.append($0) } }

        #expect(head.isFinal)
        #expect(head.response?.fields.fields.count == 30_000)
        #expect(head.response?.fields.fields.last?.value.utf8.count == 59_999)
    }

    private static let small = Array(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello".utf8)

    @Test("A connection may be reset or closed at every byte of an answer", arguments: [true, false])
    func cutAnywhere(isReset: Bool) async throws {
        for count in 0..<Self.small.count {
            let server = RawServer { request in
                guard request.number == 0, request.connection == 0 else { return .body("next") }
                var answer = RawServer.Answer(bytes: Array(Self.small.prefix(count)), closes: true)
                answer.resets = isReset
                return answer
            }

            let outcome = try await self.outcome(
                HTTPRequest(.post, server.url + "/", body: .bytes([1])))

            #expect(["connectionLost", "invalidResponse"].contains(outcome), "\(count) bytes: \(outcome)")
            #expect(server.requests.count == 1)
        }
    }

    @Test("An answer that comes byte by byte is whole")
    func dripped() async throws {
        let server = RawServer { _ in
            var answer = RawServer.Answer(bytes: Self.small)
            answer.isDripped = true
            return answer
        }

        #expect(try await outcome(HTTPRequest(.get, server.url + "/")) == "200 hello")
    }

    @Test(
        "An upload whose connection is reset is an error, and is not sent again",
        arguments: [1, 70_000, 900_000])
    func resetUpload(after count: Int) async throws {
        let server = RawServer(resettingAfter: count)
        let folder = TemporaryFolder()
        folder.write([UInt8](repeating: 7, count: 8_000_000), to: "import")

        for body in [HTTPBody.file(folder.path("import")), .bytes([UInt8](repeating: 7, count: 8_000_000))] {
            let outcome = try await self.outcome(HTTPRequest(.post, server.url + "/import", body: body))

            #expect(outcome == "connectionLost")
        }

        #expect(server.connectionCount == 2)
    }
}
