package import AtriumKit
import Foundation
import FoundationNetworking

/// HTTP and HTTPS over Foundation's URLSession.
///
/// Reuses connections, caches nothing, keeps no cookies and follows redirects on the same server only. Trusts
/// the certificate authorities of the system, as URLSession on Linux can't pass others to libcurl.
package struct URLSessionTransport: HTTPTransport {
    private let session: TransportSession
    static let redirectLimit = 5

    /// - Parameter connections: The most connections to one server; further requests wait.
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

    /// Sends a request and follows its redirects within one time limit.
    private func follow(
        _ request: HTTPRequest, into path: String?,
        _ progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> HTTPResponse {
        let deadline = ContinuousClock.now + request.timeLimit
        var next = request
        for _ in 0...Self.redirectLimit {
            let body = ResponseBody(limit: request.answerLimit, path, progress)
            let response = try await session.run(Exchange(next, body), until: deadline)
            guard let redirected = Redirect.request(after: response, to: next) else { return response }
            next = redirected
        }
        throw TransportError.tooManyRedirects(request, limit: Self.redirectLimit)
    }
}

/// Follows redirects to the same server (RFC 9110, 15.4), so that no other server gets its requests.
enum Redirect {
    /// The next request; nil if the response is no redirect to the same server.
    static func request(after response: HTTPResponse, to request: HTTPRequest) -> HTTPRequest? {
        guard let location = response.fields["Location"],
            let method = method(response.status, request.method),
            let base = URL(string: request.url), let target = URL(string: location, relativeTo: base),
            isSameServer(target, base)
        else { return nil }
        var next = request
        next.url = target.absoluteString
        if method != request.method {
            next.method = method
            next.body = .none
            next.fields["Content-Type"] = nil
        }
        return next
    }

    /// The method of the next request; nil for other responses.
    private static func method(_ status: Int, _ method: HTTPMethod) -> HTTPMethod? {
        switch status {
        case 301, 302: method == .post ? .get : method
        case 303: method == .head ? .head : .get
        case 307, 308: method
        default: nil
        }
    }

    private static func isSameServer(_ left: URL, _ right: URL) -> Bool {
        left.scheme?.lowercased() == right.scheme?.lowercased()
            && left.host()?.lowercased() == right.host()?.lowercased() && left.port == right.port
    }
}
