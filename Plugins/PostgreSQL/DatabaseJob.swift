import CPostgreSQL
import Synchronization

/// A closure that waits for a connection, or runs on one.
///
/// A cancelled job that waits ends at once; one that runs ends when its statement has stopped.
final class DatabaseJob<Value: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Value, any Error>

    let cancellation = Cancellation()
    /// The caller, until the job begins or is cancelled.
    private let waiting = Mutex<Continuation?>(nil)

    /// Registers the caller.
    ///
    /// - Returns: Whether to submit the job; false if it has been cancelled.
    func wait(_ continuation: Continuation) -> Bool {
        waiting.withLock { $0 = continuation }
        if cancellation.isCancelled { cancel() }
        return !cancellation.isCancelled
    }

    /// Runs the job unless it has ended.
    func run(_ body: (Cancellation) throws -> Value) {
        guard let continuation = takeWaiting() else { return }
        continuation.resume(with: Result { try body(cancellation) })
    }

    /// Ends the job if it still waits.
    func refuse(_ error: any Error) { takeWaiting()?.resume(throwing: error) }

    func cancel() {
        // Before the lock: a caller that registers afterwards sees it.
        cancellation.cancel()
        refuse(CancellationError())
    }

    private func takeWaiting() -> Continuation? { waiting.withLock { $0.take() } }
}

/// Cancels the statement of one job; a late cancellation can't reach the next job.
// architecture: allow unchecked-sendable, because the monitor protects its state
final class Cancellation: @unchecked Sendable {
    private let monitor = Monitor()
    private var wasCancelled = false
    /// What libpq needs to cancel on the connection that the job uses.
    private var target: OpaquePointer?
    private var isSending = false

    /// How long the server gets before it is asked again: a request that arrives between two statements does
    /// nothing.
    private static let patience = Duration.milliseconds(100)

    var isCancelled: Bool { monitor.enter { wasCancelled } }

    func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }

    /// Runs `body`, whose statements on a connection can be cancelled meanwhile.
    func cancelling<Result>(_ connection: ServerConnection, _ body: () throws -> Result) throws -> Result {
        let isCancelled = monitor.enter {
            target = connection.cancelHandle
            return wasCancelled
        }
        defer { detach() }
        if isCancelled { throw CancellationError() }
        return try body()
    }

    /// Returns once no request for the connection is under way.
    func detach() {
        monitor.enter {
            target = nil
            monitor.signal()
            while isSending { monitor.wait() }
        }
    }

    /// Asks the server to stop the statement, on a thread of its own: that connects to the server.
    func cancel() {
        let sends = monitor.enter {
            wasCancelled = true
            guard target != nil, !isSending else { return false }
            isSending = true
            return true
        }
        guard sends, DetachedThread.start({ self.send() }) != 0 else { return }
        monitor.enter { endSending() }
    }

    private func endSending() {
        isSending = false
        monitor.signal()
    }

    private func send() {
        var text = [CChar](repeating: 0, count: 256)
        while let target = monitor.enter({ target }) {
            PQcancel(target, &text, CInt(text.count))
            monitor.enter {
                if self.target != nil { monitor.wait(Self.patience) }
            }
        }
        monitor.enter { endSending() }
    }
}
