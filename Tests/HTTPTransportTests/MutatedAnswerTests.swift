import AtriumKit
import Foundation
import Glibc
import RawServer
import TestSupport
import Testing

@testable import HTTPTransport

/// Answers made from those of the corpus by changing bytes; `make torture` sends 100,000.
///
/// `ATRIUM_MUTATED_ANSWERS` is their number and `ATRIUM_SEED` their seed. Each is made from the seed and its own
/// number alone.
@Suite("Mutated answers", .serialized)
struct MutatedAnswerTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["ATRIUM_MUTATED_ANSWERS"].flatMap { Int($0) } ?? 1_000
    private static let seed = environment["ATRIUM_SEED"].flatMap { UInt64($0) } ?? 1
    private static let workers = 8

    @Test(
        "Each of them is a response or a typed error, and the next response is right",
        .timeLimit(.minutes(60)))
    func mutated() async throws {
        let mutation = AnswerMutation(seed: Self.seed)
        let server = RawServer { request in
            mutation.number(of: request).map { mutation.answer($0).answer } ?? .body("next")
        }
        let subject = MutationSubject(mutation, server.url)

        let found = try await withThrowingTaskGroup(of: (responses: Int, broken: [String]).self) { group in
            for worker in 0..<Self.workers {
                group.addTask {
                    try await subject.read(Array(stride(from: worker, to: Self.count, by: Self.workers)))
                }
            }
            return try await group.reduce(into: (responses: 0, broken: [String]())) {
                $0.responses += $1.responses
                $0.broken += $1.broken
            }
        }

        let broken = found.broken.map { text in
            let number = Int(text.prefix { $0 != ":" }) ?? 0
            return "\(text), by \(Data(mutation.answer(number).answer.bytes).base64EncodedString())"
        }
        #expect(broken.isEmpty, "seed \(Self.seed):\n\(broken.prefix(20).joined(separator: "\n"))")
        #expect(subject.files == [], "These parts of downloads are left.")
        print(
            "Answers: \(Self.count) mutated answers, \(found.responses) of them responses, the next one right"
        )
    }
}

/// The bytes that the server sends, and how its connection ends.
private struct AnswerMutation: Sendable {
    let seed: UInt64

    /// Larger ones would arrive in parts: what comes after a response has been read belongs to nobody then.
    private static let limit = 4_000

    /// Good ones more often: a change makes most of them bad.
    private static let kept: [[UInt8]] = {
        let good = AnswerCorpus.all.filter { $0.outcome.hasPrefix("200 ") }.map(\.bytes) + encoded
        return (AnswerCorpus.all.map(\.bytes) + good + good + good).filter { $0.count < limit }
    }()

    /// "hello hello hello" as zlib, and "hello" by Brotli and Zstandard.
    private static let encoded = [
        encoding(
            "deflate",
            [
                0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x40, 0x90, 0x00, 0x3A, 0x2E, 0x06,
                0x7D,
            ]),
        encoding("br", [0x0B, 0x02, 0x80, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x03]),
        encoding(
            "zstd", [0x28, 0xB5, 0x2F, 0xFD, 0x20, 0x05, 0x29, 0x00, 0x00, 0x68, 0x65, 0x6C, 0x6C, 0x6F]),
    ]

    private static func encoding(_ name: String, _ body: [UInt8]) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Encoding: \(name)\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
            + body
    }

    private static let telling: [[UInt8]] =
        [
            "\r\n", "\r\n\r\n", "\n", " ", "\t", ":", ",", ";", "0", "1", "9", "f", "-", "0\r\n\r\n",
            "2\r\nok\r\n",
            "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/2 200\r\n",
            "Content-Length: 2\r\n", "Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n",
            "Trailer: X-Sum\r\n",
            "Content-Encoding: gzip\r\n", "Content-Encoding: br\r\n", "Content-Encoding: gzip, deflate\r\n",
            "Connection: close\r\n", "Connection: keep-alive\r\n", "Keep-Alive: timeout=1\r\n",
            "Retry-After: 1\r\n",
            "Location: /next\r\n", "WWW-Authenticate: Basic\r\n", "Set-Cookie: a=b\r\n",
            "Content-Range: bytes 0-1/2\r\n",
        ].map { Array($0.utf8) } + [[0], [0x1B], [0x7F], [0x80], [0xC3], [0xFF]]

    /// The number in the path of a request; nil for the request after it.
    func number(of request: RawServer.Request) -> Int? {
        let path = request.line.split(separator: " ").dropFirst().first ?? ""
        return path.hasPrefix("/odd/") ? Int(path.dropFirst(5)) : nil
    }

    func answer(_ number: Int) -> (answer: RawServer.Answer, method: HTTPMethod, isDownload: Bool) {
        var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        var bytes = generator.input(from: Self.kept, Self.telling, most: 3)
        if Int.random(in: 0..<8, using: &generator) == 0 {
            bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
        }
        var answer = RawServer.Answer(bytes: Array(bytes.prefix(2 * Self.limit)))
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: answer.resets = true
        case 1...3: answer.isImpatient = true
        default: answer.closes = true
        }
        let methods: [HTTPMethod] = [.get, .get, .get, .get, .post, .put, .delete, .head]
        let method = methods.randomElement(using: &generator) ?? .get
        return (answer, method, method == .get && Int.random(in: 0..<3, using: &generator) == 0)
    }
}

/// The transport that gets the answers.
private struct MutationSubject: Sendable {
    private let mutation: AnswerMutation
    private let url: String
    private let transport: CurlTransport
    private let folder = TemporaryFolder()

    init(_ mutation: AnswerMutation, _ url: String) {
        (self.mutation, self.url) = (mutation, url)
        // A redirect is read and not followed: it may lead anywhere.
        var limits = TransportLimits()
        limits.redirects = 0
        transport = CurlTransport(limits)
    }

    /// The files that are left in the folder of downloads.
    var files: [String] { folder.names() }

    func read(_ numbers: [Int]) async throws -> (responses: Int, broken: [String]) {
        var (responses, broken) = (0, [String]())
        for number in numbers {
            switch await outcome(number) {
            case .success(let isResponse): responses += isResponse ? 1 : 0
            case .failure(let error): broken.append("\(number): \(error)")
            }
            do {
                let next = try await transport.send(HTTPRequest(.get, "\(url)/next", timeLimit: .seconds(60)))
                if next.status != 200 || next.text != "next" {
                    broken.append("\(number): the next response is \(next.status) '\(next.text)'")
                }
            } catch {
                broken.append("\(number): the next request failed: \(error)")
            }
        }
        return (responses, broken)
    }

    /// Whether an answer is a response; fails if it is neither that nor a typed error.
    private func outcome(_ number: Int) async -> Result<Bool, any Error> {
        let (_, method, isDownload) = mutation.answer(number)
        let body: HTTPBody = method == .post || method == .put ? .bytes([1, 2, 3]) : .none
        let request = HTTPRequest(method, "\(url)/odd/\(number)", body: body, timeLimit: .seconds(60))
        do {
            let response =
                isDownload ? try await download(request, number) : try await transport.send(request)
            return (200..<600).contains(response.status)
                ? .success(true) : .failure(Surprise("a response with status \(response.status)"))
        } catch let error as TransportError where error.code != .timedOut {
            // The connection was closed long before the time limit.
            return .success(false)
        } catch {
            return .failure(error)
        }
    }

    private func download(_ request: HTTPRequest, _ number: Int) async throws -> HTTPResponse {
        let path = folder.path("\(number)")
        let response = try await transport.download(request, to: path) { _ in }
        if (200..<300).contains(response.status) { unlink(path) }
        return response
    }

    private struct Surprise: Error {
        let text: String

        init(_ text: String) { self.text = text }
    }
}
