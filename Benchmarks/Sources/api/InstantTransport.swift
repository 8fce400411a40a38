import AtriumKit

/// Responds to every request at once with a recorded response, which leaves the cost of the manager itself.
final class InstantTransport: HTTPTransport {
    private let entity: HTTPResponse
    private let page: HTTPResponse

    /// Records the responses of the server through `transport`.
    init(_ transport: any HTTPTransport, server: String) async throws {
        entity = try await transport.send(HTTPRequest(.get, server + "/v1/entities/1"))
        page = try await transport.send(HTTPRequest(.get, server + "/v1/entities?size=20"))
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        request.url.utf8.contains(UInt8(ascii: "?")) ? page : entity
    }

    func download(
        _ request: HTTPRequest, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> HTTPResponse {
        preconditionFailure("Nothing is downloaded.")
    }
}
