import AtriumKit
import FoundationEssentials

/// The transport alone: the same requests with the same fields as the manager's, and the same decoding.
struct Alone: Sendable {
    let transport: any HTTPTransport
    /// The URL of the server, such as `http://127.0.0.1:8787`.
    let server: String
    let accessToken: String
    private let decoder = JSONDecoder()

    init(_ transport: any HTTPTransport, server: String, accessToken: String) {
        self.transport = transport
        self.server = server
        self.accessToken = accessToken
    }

    func entity(_ id: Int) async throws -> EntityAnswer {
        try await answer(request(.get, "/v1/entities/\(id)"))
    }

    func page() async throws -> PageAnswer {
        try await answer(request(.get, Self.pagePath))
    }

    func create() async throws -> EntityAnswer {
        var request = request(.post, "/v1/entities")
        request.fields.append("Content-Type", "application/json")
        request.fields.append("Idempotency-Key", String(UInt64.random(in: .min ... .max), radix: 16))
        request.body = .bytes(Array(try JSONEncoder().encode(DraftBody())))
        return try await answer(request)
    }

    /// The current page, for ``confirmed(_:)``.
    func stored() async throws -> HTTPResponse {
        try await transport.send(request(.get, Self.pagePath))
    }

    /// The stored page, which the server confirms.
    func confirmed(_ stored: HTTPResponse) async throws -> PageAnswer {
        var request = request(.get, Self.pagePath)
        request.fields.append("If-None-Match", stored.fields["ETag"] ?? "")
        let response = try await transport.send(request)
        precondition(response.status == 304, "The page has changed.")
        return try decoder.decode(PageAnswer.self, from: Data(stored.body))
    }

    private static let pagePath = "/v1/entities?page=1&size=20&sort=name"

    private func request(_ method: HTTPMethod, _ path: String) -> HTTPRequest {
        HTTPRequest(
            method, server + path,
            fields: [
                "Accept": "application/json, application/problem+json",
                "Authorization": "Bearer \(accessToken)",
            ])
    }

    private func answer<Answer: Decodable>(_ request: HTTPRequest) async throws -> Answer {
        let response = try await transport.send(request)
        precondition((200..<300).contains(response.status), "The server answered \(response.status).")
        return try decoder.decode(Answer.self, from: Data(response.body))
    }
}
