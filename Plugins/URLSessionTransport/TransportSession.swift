import AtriumKit
import Dispatch
import Foundation
import FoundationNetworking
import Synchronization

/// The URLSession of one transport; its connections end with it.
final class TransportSession: Sendable {
    private let delegate = SessionDelegate()
    let session: URLSession

    init(connections: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // It would also run while a request waits for a connection; each exchange has its own deadline.
        configuration.timeoutIntervalForRequest = 7 * 24 * 3600
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: CallerQueue())
    }

    deinit {
        session.invalidateAndCancel()
    }

    /// Runs an exchange until `deadline`.
    ///
    /// - Throws: ``TransportError``, or `CancellationError`.
    func run(_ exchange: Exchange, until deadline: ContinuousClock.Instant) async throws -> HTTPResponse {
        try Task.checkCancellation()
        // libcurl repeats a request by itself if the server closes a reused connection. A request that must not
        // be repeated gets a connection of its own.
        let mayShare = exchange.mayBeSentTwice || exchange.noticesResending
        let chosen = mayShare ? self : TransportSession(connections: 1)
        return try await exchange.run(on: chosen.session, chosen.delegate, until: deadline)
    }
}

/// Calls the delegate on the session's own thread.
///
/// Another queue would buffer what a slow disk can't take yet, and each request would change threads three times.
///
/// Unchecked because its superclass is; it has no state.
private final class CallerQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}

/// Forwards the session's events to exchanges: on Linux the delegate of a single task is never called.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Mutex<[Int: Exchange]>([:])

    /// Forwards the events of `task` until it is complete.
    func add(_ exchange: Exchange, for task: URLSessionTask) {
        let number = task.taskIdentifier
        exchanges.withLock { $0[number] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        let number = task.taskIdentifier
        return exchanges.withLock { $0[number] }
    }

    private func remove(_ task: URLSessionTask) -> Exchange? {
        let number = task.taskIdentifier
        return exchanges.withLock { $0.removeValue(forKey: number) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        remove(task)?.complete(error, task.response)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // FoundationNetworking crashes if the handler of a cancelled task is called. This runs on the session's
        // queue, as the beginning of a cancellation does: it came before and is seen here, or comes later and
        // finds the task complete.
        guard task.state == .running, exchange(of: task)?.isFinished == false else { return }
        // The transport follows redirects itself.
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // The transport has no credentials: the challenge is the response.
        remove(task)?.complete(nil, task.response)
        Exchange.cancel(task)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        // Called before a request without a body, and before a body is sent again.
        exchange(of: task)?.failIfResending()
        completionHandler(nil)
    }
}
