@_spi(Host) public import AtriumKit
internal import FoundationEssentials
internal import Synchronization
internal import Testing

/// A server's API without a server, for tests of services: answers by pattern, and keeps the calls.
///
/// ```swift
/// let api = ScriptedAPIClient()
/// api.answer("GET v1/entities/:id", #"{"id": 42, "name": "Ada"}"#)
/// let service = LiveEntityService(api: api)
/// #expect(try await service.entity(42).name == "Ada")
/// #expect(api.calls.map(\.description) == ["GET v1/entities/42"])
/// ```
///
/// A call without an answer fails the test. Caching, retries and token refreshes are the host's work and do
/// not happen here.
public final class ScriptedAPIClient: APIClient {
    /// The answer to a call, as JSON; throws the error that the call should fail with.
    public typealias Reply = @Sendable (ScriptedCall) async throws -> String

    private struct State {
        var replies: [String: Reply] = [:]
        var calls: [ScriptedCall] = []
        var tokens: AccessTokens?
        var issued: Result<AccessTokens, APIError>?
        var revoked: [AccessTokens] = []
        var listeners: [AsyncStream<TokenEvent>.Continuation] = []
    }

    private let state: Mutex<State>
    /// The address that was given to the initializer; it is never contacted.
    public let server: String?
    /// Those of the initializer.
    public let conventions: APIConventions

    /// Creates a client with the access tokens of a user, or as a guest; `server` is the address that it
    /// reports, and answers and pages use the names of the conventions.
    public init(
        tokens: AccessTokens? = nil, server: String? = "http://test",
        conventions: APIConventions = APIConventions()
    ) {
        self.server = server
        self.conventions = conventions
        state = Mutex(State(tokens: tokens))
    }

    /// Answers every call of an endpoint, such as `GET v1/entities/:id`, with a JSON text; empty for no body.
    public func answer(_ endpoint: String, _ json: String) { reply(endpoint) { _ in json } }

    /// Fails every call of an endpoint.
    public func fail(_ endpoint: String, _ error: any Error) {
        reply(endpoint) { _ in throw error }
    }

    /// Answers every call of an endpoint by a closure, which may wait, throw, or read the call.
    public func reply(_ endpoint: String, _ reply: @escaping Reply) {
        state.withLock { $0.replies[endpoint] = reply }
    }

    /// Sets the answer of ``obtainTokens(_:)``.
    public func issue(_ tokens: Result<AccessTokens, APIError>) {
        state.withLock { $0.issued = tokens }
    }

    /// Sends a token event to all listeners.
    public func send(_ event: TokenEvent) {
        for listener in state.withLock({ $0.listeners }) { listener.yield(event) }
    }

    /// The calls so far, in order.
    public var calls: [ScriptedCall] { state.withLock { $0.calls } }

    /// The calls so far of one endpoint: `GET v1/entities/:id`.
    public func calls(_ endpoint: String) -> [ScriptedCall] {
        calls.filter { $0.endpoint == endpoint }
    }

    /// The tokens that were revoked, in order.
    public var revoked: [AccessTokens] { state.withLock { $0.revoked } }

    // MARK: - APIClient

    /// Records the call, and decodes its scripted answer; one that can't be decoded also fails the test.
    public func request<Answer: Decodable & Sendable>(_ endpoint: Endpoint<Answer>) async throws -> Answer {
        let text = try await text(endpoint.call)
        do {
            if let nothing = NoAnswer() as? Answer { return nothing }
            let decoder = JSONDecoder()
            decoder.userInfo[APIConventions.key] = conventions
            return try decoder.decode(Answer.self, from: Data(text.utf8))
        } catch {
            let name = ScriptedCall(endpoint.call, conventions).endpoint
            Issue.record("The scripted answer of \(name) is not what the endpoint answers: \(error)")
            throw APIError.invalidResponse("The scripted answer of \(name) can't be read.", status: 200)
        }
    }

    /// Sends the requests one after another, whatever the width; throws `CancellationError` only.
    public func batch<Answer: Decodable & Sendable>(
        _ endpoints: [Endpoint<Answer>], width: Int
    ) async throws -> [Result<Answer, any Error>] {
        var results: [Result<Answer, any Error>] = []
        for endpoint in endpoints {
            try Task.checkCancellation()
            do { results.append(.success(try await request(endpoint))) } catch {
                results.append(.failure(error))
            }
        }
        return results
    }

    /// Writes the scripted text into the file.
    public func download(
        _ call: APICall, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws {
        let body = Array(try await text(call).utf8)
        try AtomicFile.write(body, to: path, synchronizing: false)
        progress(TransferProgress(received: Int64(body.count), expected: Int64(body.count)))
    }

    /// Returns or throws what ``issue(_:)`` has set; fails the test if it has set nothing.
    public func obtainTokens(_ grant: TokenGrant) async throws -> AccessTokens {
        guard let issued = state.withLock({ $0.issued }) else {
            Issue.record("Tokens were requested, and the test issues none.")
            throw APIError.notAuthenticated("The test issues no tokens.")
        }
        return try issued.get()
    }

    /// The tokens of the signed-in user; nil for a guest, whose calls with `APIAccess.required` fail.
    public var tokens: AccessTokens? { get async { state.withLock { $0.tokens } } }

    /// Replaces ``tokens`` for the calls that follow; stores nothing.
    public func use(_ tokens: AccessTokens?) async throws {
        state.withLock { $0.tokens = tokens }
    }

    /// Adds the tokens to ``revoked``; those in use stay.
    public func revoke(_ tokens: AccessTokens) async throws {
        state.withLock { $0.revoked.append(tokens) }
    }

    /// Returns the events that ``send(_:)`` sends from now on.
    public func tokenEvents() async -> AsyncStream<TokenEvent> {
        let (stream, continuation) = AsyncStream<TokenEvent>.makeStream()
        state.withLock { $0.listeners.append(continuation) }
        return stream
    }

    private func text(_ call: APICall) async throws -> String {
        try Task.checkCancellation()
        let call = ScriptedCall(call, conventions)
        let (reply, isRefused) = state.withLock { state in
            state.calls.append(call)
            return (state.replies[call.endpoint], call.call.access == .required && state.tokens == nil)
        }
        if isRefused { throw APIError.notAuthenticated("\(call.endpoint) requires a sign-in.") }
        guard let reply else {
            Issue.record("\(call.endpoint) was called, and the test has no answer for it.")
            throw APIError.serverError(code: 404, message: "\(call.endpoint) has no answer.", status: 404)
        }
        return try await reply(call)
    }
}

/// A call that a service made to a ``ScriptedAPIClient``.
public struct ScriptedCall: Sendable, CustomStringConvertible {
    /// The call as the service made it, with the values of the pattern and the body.
    public let call: APICall

    private let paging: APIConventions.Paging

    init(_ call: APICall, _ conventions: APIConventions) {
        self.call = call
        paging = conventions.paging
    }

    /// Method and pattern: `GET v1/entities/:id`.
    public var endpoint: String { "\(call.method) \(call.pattern)" }

    /// The method, and the path and query with their values unencoded: `GET v1/entities/42?page=1`.
    public var description: String {
        let path = call.pattern.split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.first == ":" ? call.values[String(part.dropFirst())] ?? String(part) : String(part)
        }
        let query = call.query(paging).map { "\($0.name)=\($0.value)" }
        return "\(call.method) \(path.joined(separator: "/"))"
            + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// The body, with JSON keys sorted: `{"name":"Ada"}`; a form as `name=Ada`, a file as its path; empty for
    /// none.
    public var body: String {
        switch call.body {
        case .none: return ""
        case .json(let value):
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            encoder.userInfo[Timestamp.isForServers] = true
            return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        case .form(let pairs): return pairs.map { "\($0)=\($1)" }.joined(separator: "&")
        case .file(let path, _): return path
        @unknown default: return ""
        }
    }
}
