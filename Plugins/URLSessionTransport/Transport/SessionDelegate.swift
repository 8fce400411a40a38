import Dispatch
import Foundation
import FoundationNetworking
import Synchronization

/// Passes on to each exchange what its session tells of it.
///
/// One for the session: on Linux the delegate of a single task is never called.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Mutex<[Int: Exchange]>([:])

    /// Passes on what concerns `task`, until it is complete.
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
        // An answer for a task that was cancelled meanwhile ends the process, in FoundationNetworking. This runs
        // on the session's queue, and so does what a cancellation begins with: it was either before and is seen
        // here, or it comes behind the answer and finds the task complete.
        guard task.state == .running, exchange(of: task)?.isFinished == false else { return }
        // The transport decides which are followed.
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // A server that asks for a password has answered; nobody here has one.
        remove(task)?.complete(nil, task.response)
        Exchange.cancel(task)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        // Asked before a request without a body, and where one with a body is about to be sent again.
        exchange(of: task)?.refuseResending()
        completionHandler(nil)
    }
}
