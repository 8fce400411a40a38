@_spi(Host) import AtriumKit
import FoundationEssentials
import Synchronization

@testable import AtriumNetworking

private struct Row: Codable, Sendable {
    let id: Int
    let name: String
    let price: Double?
    let tags: [String]?
}

/// Gives every request the same answer.
private struct SameAnswer: HTTPTransport {
    let answer: HTTPResponse

    func send(_ request: HTTPRequest) async throws -> HTTPResponse { answer }

    func download(
        _ request: HTTPRequest, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> HTTPResponse { answer }
}

private final class KeptTokens: TokenStore {
    private let tokens: Mutex<AccessTokens?>

    init(_ tokens: AccessTokens?) { self.tokens = Mutex(tokens) }
    func load() throws -> AccessTokens? { tokens.withLock { $0 } }
    func save(_ tokens: AccessTokens) throws { self.tokens.withLock { $0 = tokens } }
    func clear() throws { tokens.withLock { $0 = nil } }
}

private struct StoppedClock: WallClock {
    static let time = Timestamp(microseconds: 1_795_000_000_000_000)
    func now() -> Timestamp { Self.time }
}

extension FuzzTarget {
    private static let secret = "s3cr3t-t0k3n"

    /// Answers of the server, through the API client: fields, bodies, errors, tokens, caching.
    ///
    /// An input has the status in two bytes, then `name: value` lines, an empty line, and the body.
    static let answers = FuzzTarget(name: "answers") { bytes in
        let answer = response(bytes)
        try readParts(answer)
        let client = try client(answer)
        try wait { try await call(client) }
    }

    private static func response(_ bytes: [UInt8]) -> HTTPResponse {
        var choices = Choices(bytes)
        var response = HTTPResponse(status: (choices.byte() * 256 + choices.byte()) % 1_000)
        var rest = choices.rest
        while let end = rest.firstIndex(of: 10) {
            let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { break }
            response.fields.append(parts[0], String(parts[1].drop { $0 == " " }))
        }
        response.body = Array(rest)
        return response
    }

    private static func readParts(_ answer: HTTPResponse) throws {
        let now = StoppedClock.time
        _ = HTTPDate.retryAfter(answer.fields, now: now)
        if let value = answer.fields["Date"] { _ = HTTPDate.parse(value) }
        if let cached = CachedResponse(answer, now: now) {
            _ = (cached.isFresh(now), cached.isFresh(Timestamp(microseconds: .max)), cached.size)
            _ = cached.confirmed(by: answer, now: now)
        }
        let name = EndpointName(.get, "v1/rows")
        let body = ErrorBody(answer, redact: Redactor([secret]))
        for error in [
            APIErrors.status(answer, body, name, now: now, signIn: nil),
            APIErrors.grant(answer, body, signIn: nil),
        ] {
            try require(!error.message.contains(secret), "an error shows the token: \(error.message)")
        }
        _ = SecretMembers.values(in: answer.body, names: APIConventions().authorization)
        if let token = try? JSONDecoder().decode(TokenAnswer.self, from: Data(answer.body)) {
            let tokens = token.tokens(id: "a", refreshing: nil, now: now)
            var current = CurrentTokens(leeway: .seconds(10))
            current.install(tokens, now: now, areNew: true)
            current.install(tokens, now: now, areNew: false)
        }
    }

    private static func client(_ answer: HTTPResponse) throws -> APIManager {
        let uptime = Uptime()
        return APIManager(
            configuration: try APIConfiguration(url: "http://server.test"),
            transport: { SameAnswer(answer: answer) },
            tokens: KeptTokens(
                AccessTokens(id: "a", accessToken: secret, refreshToken: "r-" + secret, expiresAt: nil)),
            clock: StoppedClock(), uptime: { uptime.now }, random: { 7 }, sleep: { uptime.advance($0) })
    }

    private static func call(_ client: APIManager) async throws {
        for _ in 0..<2 {
            try await explained { _ = try await client.request(Endpoint<[Row]>(.get, "v1/rows")) }
        }
        try await explained {
            _ = try await client.request(Endpoint<NoAnswer>(.delete, "v1/rows/:id", ["id": "7"]))
        }
        try await explained { _ = try await client.obtainTokens(.password(username: "ada", password: "p")) }
    }

    private static func explained(_ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as any ExplainedError {
            try require(!error.message.isEmpty, "an error says nothing")
            try require(!"\(error.message) \(error.hint ?? "")".contains(secret), "an error shows the token")
        }
    }
}

private final class Uptime: Sendable {
    private let time = Mutex(Duration.zero)

    var now: Duration { time.withLock { $0 } }
    func advance(_ duration: Duration) { time.withLock { $0 += duration } }
}
