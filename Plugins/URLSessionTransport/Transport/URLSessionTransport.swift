package import AtriumKit
import Foundation
import FoundationNetworking

/// HTTP and HTTPS over Foundation's URLSession.
///
/// Connections are kept and used again. Nothing is cached, no cookies are kept, and redirects are followed
/// on the same server only. Trusted are the certificate authorities of the system: libcurl, which does the work
/// on Linux, is not told of others by URLSession.
package struct URLSessionTransport: HTTPTransport {
    private let session: TransportSession
    /// How many redirects of a request are followed.
    static let redirectLimit = 5

    /// Makes a transport; nothing is connected before the first request.
    ///
    /// - Parameter connections: The most connections to one server at a time; further requests wait.
    package init(connections: Int = 64) {
        session = TransportSession(connections: connections)
    }

    package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await follow(request, into: nil) { _ in }
    }

    package func download(
        _ request: HTTPRequest, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> HTTPResponse {
        try await follow(request, into: path, progress)
    }

    /// Sends a request, and those that its answers redirect to, within one time limit.
    private func follow(
        _ request: HTTPRequest, into path: String?,
        _ progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> HTTPResponse {
        let deadline = ContinuousClock.now + request.timeLimit
        var next = request
        for _ in 0...Self.redirectLimit {
            let exchange = try Exchange(next, answer: AnswerBody(limit: request.answerLimit, path, progress))
            let answer = try await session.run(exchange, until: deadline)
            guard let redirected = Redirect.request(after: answer, to: next) else { return answer }
            next = redirected
        }
        throw TransportError.tooManyRedirects(request, limit: Self.redirectLimit)
    }
}
