import FoundationEssentials
import Synchronization
import TestSupport

@testable @_spi(Host) import AtriumKit
@testable import Entities

/// Returns scripted answers in order and records the requests.
final class ScriptedAPIClient: APIClient {
    enum Answer: Sendable {
        /// The body of a response with status 200.
        case json(String)
        case failure(any Error)
    }

    private struct State {
        var answers: [Answer]
        var calls: [APICall] = []
        var uploads: [String] = []
    }

    private let state: Mutex<State>

    init(_ answers: Answer...) {
        state = Mutex(State(answers: answers))
    }

    /// The requests, as `METHOD pattern values query body access repetition`.
    var calls: [String] { state.withLock { $0.calls }.map(\.text) }

    /// The content of the files that were uploaded.
    var uploads: [String] { state.withLock { $0.uploads } }

    func request<Value: Decodable & Sendable>(_ endpoint: Endpoint<Value>) async throws -> Value {
        let body = try next(endpoint.call)
        do {
            return try JSONDecoder().decode(Value.self, from: Data(body.utf8))
        } catch {
            throw APIError.invalidResponse("\(error)", status: 200, cause: error)
        }
    }

    func download(
        _ call: APICall, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws {
        try Data(next(call).utf8).write(to: URL(filePath: path), options: .atomic)
    }

    private func next(_ call: APICall) throws -> String {
        let answer = state.withLock { state in
            state.calls.append(call)
            if case .file(let path, _) = call.body {
                state.uploads.append(String(decoding: contents(path), as: UTF8.self))
            }
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        switch answer {
        case .json(let text): return text
        case .failure(let error): throw error
        case nil: throw APIError.requestFailed(.requestFailed, "There is no answer left.")
        }
    }

    // MARK: - Unused

    func batch<Value: Decodable & Sendable>(
        _ endpoints: [Endpoint<Value>], width: Int
    ) async throws -> [Result<Value, any Error>] {
        []
    }

    func obtainTokens(_ grant: TokenGrant) async throws -> AccessTokens { throw APIError.noServer }
    var tokens: AccessTokens? { get async { nil } }
    func use(_ tokens: AccessTokens?) async throws {}
    func revoke(_ tokens: AccessTokens) async throws {}
    func tokenEvents() async -> AsyncStream<TokenEvent> { AsyncStream { $0.finish() } }
}

extension APICall {
    fileprivate var text: String {
        let names = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let query = self.query(APIConventions().paging).map { "\($0.name)=\($0.value)" }
        let words = [method.rawValue, pattern] + names + query + [bodyText, "\(access)"]
        return (words + [repetition.map { "\($0)" } ?? "-"]).joined(separator: " ")
    }

    private var bodyText: String {
        switch body {
        case .none: "-"
        case .json(let value):
            (try? JSONEncoder.sorted.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
        case .form(let fields): fields.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        case .file(_, let contentType): contentType
        @unknown default: "?"
        }
    }
}

extension JSONEncoder {
    fileprivate static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}
