@_spi(Host) package import AtriumKit

/// An API client that answers each call with the JSON text or error of a closure, and records the calls.
package actor AnsweringAPIClient: APIClient {
    /// Answers a call, such as `GET v1/users/u1?page=1`.
    package typealias Answers = @Sendable (String) async throws -> String

    /// The calls so far, each with its body, and with its user unless it is the signed-in one.
    package private(set) var calls: [String] = []
    package private(set) var tokens: AccessTokens?
    /// The ids of the tokens that were revoked.
    package private(set) var revoked: [String] = []
    /// The result of ``obtainTokens(_:)``.
    package var grant: Result<AccessTokens, any Error> = .failure(APIError.noServer)
    /// Errors that ``use(_:)`` and ``revoke(_:)`` throw; nil if they succeed.
    package var useError: (any Error)?
    package var revokeError: (any Error)?
    /// The width that was requested for the last batch.
    package private(set) var width = 0

    private let answers: Answers
    private let events = AsyncStream.makeStream(of: TokenEvent.self)

    package init(tokens: AccessTokens? = nil, _ answers: @escaping Answers) {
        self.tokens = tokens
        self.answers = answers
    }

    /// Changes the client's properties.
    package func set(_ change: @Sendable (isolated AnsweringAPIClient) -> Void) {
        change(self)
    }

    package func request<Answer: Decodable & Sendable>(
        _ endpoint: Endpoint<Answer>
    ) async throws -> Answer {
        let call = Self.text(endpoint.call)
        calls.append(call + Self.details(endpoint.call))
        let answer = try await answers(call)
        do {
            return try StateCoding.decode(Answer.self, from: answer)
        } catch {
            throw APIError.invalidResponse("\(error)", status: 200, cause: error)
        }
    }

    package func batch<Answer: Decodable & Sendable>(
        _ endpoints: [Endpoint<Answer>], width: Int
    ) async throws -> [Result<Answer, any Error>] {
        self.width = width
        var outcomes: [Result<Answer, any Error>] = []
        for endpoint in endpoints {
            do { outcomes.append(.success(try await request(endpoint))) } catch {
                outcomes.append(.failure(error))
            }
        }
        return outcomes
    }

    package func download(
        _ call: APICall, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws {
        throw APIError.noServer
    }

    package func obtainTokens(_ grant: TokenGrant) async throws -> AccessTokens {
        calls.append("obtain tokens")
        return try self.grant.get()
    }

    package func use(_ tokens: AccessTokens?) async throws {
        calls.append("use \(tokens?.id ?? "none")")
        if let useError { throw useError }
        self.tokens = tokens
    }

    package func revoke(_ tokens: AccessTokens) async throws {
        calls.append("revoke \(tokens.id)")
        if let revokeError { throw revokeError }
        revoked.append(tokens.id)
    }

    package func tokenEvents() async -> AsyncStream<TokenEvent> { events.stream }

    /// Sends a token event.
    package func tell(_ event: TokenEvent) {
        events.continuation.yield(event)
    }

    /// Ends the stream of token events.
    package func finishEvents() {
        events.continuation.finish()
    }

    private static func text(_ call: APICall) -> String {
        let path = call.pattern.split(separator: "/").map { part in
            part.first == ":" ? call.values[String(part.dropFirst())] ?? String(part) : String(part)
        }
        let items = call.query(APIConventions().paging)
        let query = items.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        return "\(call.method) \(path.joined(separator: "/"))" + (query.isEmpty ? "" : "?\(query)")
    }

    private static func details(_ call: APICall) -> String {
        var details = ""
        switch call.access {
        case .anonymous: details += " as nobody"
        case .explicit(let tokens): details += " as \(tokens.id)"
        default: break
        }
        if case .json(let body) = call.body { details += " \((try? StateCoding.encode(body)) ?? "?")" }
        if call.repetition == .withKey { details += " with key" }
        return details
    }
}

extension APIError {
    /// The error for a response with a problem body.
    package static func problem(
        _ status: Int, _ name: String, _ detail: String = "The server says no.",
        errors: [ProblemDetails.Field] = []
    ) -> APIError {
        .serverError(
            code: status, message: detail, status: status,
            problem: ProblemDetails(
                type: "/problems/\(name)", status: status, detail: detail, errors: errors))
    }

    /// The server is unreachable.
    package static let offline = APIError.requestFailed(
        .serverUnreachable, "The server does not answer.", hint: "make server")
}

extension AccessTokens {
    /// Test tokens that contain their id.
    package static func test(
        _ id: String, refreshExpiresAt: Timestamp? = Timestamp(microseconds: 1_769_817_600_000_000)
    ) -> AccessTokens {
        AccessTokens(
            id: id, accessToken: "secret-access-\(id)", refreshToken: "secret-refresh-\(id)",
            refreshExpiresAt: refreshExpiresAt)
    }
}
