internal import Synchronization

/// A closure in the queue of a database.
///
/// A waiting job that is cancelled ends at once; a running one ends when its statement has stopped.
final class DatabaseJob<Value: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Value, any Error>

    let cancellation = CancellationFlag()
    /// The caller, until the job starts or is cancelled.
    private let waiting = Mutex<Continuation?>(nil)

    /// Registers the caller.
    ///
    /// - Returns: True if to enqueue the job; false if it was cancelled.
    func wait(_ continuation: Continuation) -> Bool {
        waiting.withLock { $0 = continuation }
        if cancellation.isCancelled { cancel() }
        return !cancellation.isCancelled
    }

    func run(_ body: (CancellationFlag) throws -> Value) {
        guard let continuation = takeWaiting() else { return }
        continuation.resume(with: Result { try body(cancellation) })
    }

    func cancel() {
        // Before the lock, so that a caller that registers afterwards sees it.
        cancellation.cancel()
        takeWaiting()?.resume(throwing: CancellationError())
    }

    private func takeWaiting() -> Continuation? { waiting.withLock { $0.take() } }
}

/// Cancels one job; a late cancellation can't reach the next job.
final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)
    private let checksLeft: Atomic<Int>

    /// True if the job must not wait and has a limited number of checks.
    let isBrief: Bool

    /// - Parameter checks: The checks after which the job is cancelled; nil for no limit.
    init(checks: Int? = nil) {
        isBrief = checks != nil
        checksLeft = Atomic(checks ?? .max)
    }

    /// Called by the running statement about every 20 µs of work.
    func shouldStop() -> Bool {
        if isBrief, checksLeft.wrappingSubtract(1, ordering: .relaxed).newValue < 0 { cancel() }
        return isCancelled
    }

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }

    func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }
}
