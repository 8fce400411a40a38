import AtriumKit
import Synchronization

/// Answers at once, without a lock: a lock would order its callers and hide their races from the sanitizer.
final class InstantTransport: HTTPTransport {
    private let tokenRequests = Atomic(0)

    var renewals: Int { tokenRequests.load(ordering: .relaxed) }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        await Task.yield()
        guard request.url.hasSuffix("/oauth/token") else { return Self.row(request.url) }
        let number = tokenRequests.wrappingAdd(1, ordering: .relaxed).newValue
        return Self.json(
            """
            {"access_token": "access-\(number)", "token_type": "Bearer", "expires_in": 3600,
             "refresh_token": "refresh-\(number)"}
            """)
    }

    func download(
        _ request: HTTPRequest, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> HTTPResponse {
        throw TransportError(.connectionLost, "Nothing is downloaded here.")
    }

    private static func row(_ url: String) -> HTTPResponse {
        let id = url.split(separator: "/").last.flatMap { Int($0) } ?? 7
        return json(#"{"id": \#(id)}"#, "max-age=60")
    }

    private static func json(_ text: String, _ storing: String = "no-store") -> HTTPResponse {
        HTTPResponse(
            status: 200, fields: ["Content-Type": "application/json", "Cache-Control": storing],
            body: Array(text.utf8))
    }
}
