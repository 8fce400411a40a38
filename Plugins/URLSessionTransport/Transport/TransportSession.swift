import AtriumKit
import Foundation
import FoundationNetworking

/// The URLSession of one transport; its connections end with it.
final class TransportSession: Sendable {
    private let delegate = SessionDelegate()
    let session: URLSession

    init(connections: Int) {
        session = Self.make(connections: connections, delegate)
    }

    deinit {
        session.invalidateAndCancel()
    }

    /// Carries out an exchange, and ends it at `deadline` or when the calling task is cancelled.
    ///
    /// - Throws: ``TransportError``, or `CancellationError`.
    func run(_ exchange: Exchange, until deadline: ContinuousClock.Instant) async throws -> HTTPResponse {
        try Task.checkCancellation()
        // libcurl sends a request again by itself where the server closes a connection that was used before
        // instead of answering. Where that could do something twice, the connection is a new one.
        guard exchange.mayBeSentTwice || exchange.noticesResending else {
            let own = TransportSession(connections: 1)
            return try await exchange.run(on: own.session, own.delegate, until: deadline)
        }
        return try await exchange.run(on: session, delegate, until: deadline)
    }

    private static func make(connections: Int, _ delegate: SessionDelegate) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // Counts from the last byte, also while a request waits for a connection: each exchange has a limit of
        // its own.
        configuration.timeoutIntervalForRequest = 7 * 24 * 3600
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: CallerQueue())
    }
}

/// Calls delegates where the session's work is done, in turn.
///
/// A queue of its own would take what arrives as fast as the server sends it, while a slow disk, or a reader that
/// has had enough, is behind; and each request would change threads three times.
///
/// Unchecked because its superclass is; it has no state of its own.
private final class CallerQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        block()
    }
}
