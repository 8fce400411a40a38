package import AtriumKit

package struct TransportLimits: Sendable {
    /// The maximum number of connections to one server; further requests wait.
    package var connections: Int
    /// The time limit for connecting, including the TLS handshake.
    package var connect: Duration
    /// The longest time without data during a request.
    package var idle: Duration
    package var redirects = 5

    package init(
        connections: Int = 64, connect: Duration = .seconds(10), idle: Duration = .seconds(60)
    ) {
        (self.connections, self.connect, self.idle) = (connections, connect, idle)
    }
}

/// HTTP and HTTPS over libcurl.
///
/// Reuses connections, caches nothing and keeps no cookies. A separate thread drives all requests; it loads
/// libcurl when the first one is sent.
package struct CurlTransport: HTTPTransport {
    private let owner: ThreadOwner
    private let limits: TransportLimits

    package init(_ limits: TransportLimits = TransportLimits()) {
        owner = ThreadOwner(limits)
        self.limits = limits
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
        var redirect = Redirect(request)
        for _ in 0...limits.redirects {
            try Task.checkCancellation()
            let body = ResponseBody(limit: request.answerLimit, path, progress)
            let exchange = try Exchange(redirect.request, body, deadline: deadline)
            do {
                let response = try await exchange.run(on: owner.thread)
                guard try redirect.follow(response) else { return redirect.result(response) }
            } catch let error as TransportError {
                guard let done = redirect.done else { throw error }
                return done
            }
        }
        if let done = redirect.done { return done }
        throw TransportError.tooManyRedirects(request, limit: limits.redirects)
    }

    /// Stops the thread once the transport is no longer referenced.
    private final class ThreadOwner: Sendable {
        let thread: TransportThread

        init(_ limits: TransportLimits) { thread = TransportThread(limits) }

        deinit { thread.stop() }
    }
}
