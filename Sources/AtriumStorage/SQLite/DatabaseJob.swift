internal import Synchronization

/// A closure in the queue of a database.
///
/// A cancelled job that waits ends at once; one that runs ends when its statement has stopped.
final class DatabaseJob<Value: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Value, any Error>

    private enum Phase {
        case created
        case waiting(Continuation)
        case running(Continuation)
        case ended
    }

    let cancellation = CancellationFlag()
    private let phase = Mutex(Phase.created)

    /// Registers the caller.
    ///
    /// - Returns: Whether to enqueue the job; false if it has been cancelled.
    func wait(_ continuation: Continuation) -> Bool {
        let isWaiting = phase.withLock { phase in
            guard case .created = phase else { return false }
            phase = .waiting(continuation)
            return true
        }
        if !isWaiting { continuation.resume(throwing: CancellationError()) }
        return isWaiting
    }

    /// Runs the job unless it has been cancelled.
    func run(_ body: (CancellationFlag) throws -> Value) {
        let continuation: Continuation? = phase.withLock { phase in
            guard case .waiting(let continuation) = phase else { return nil }
            phase = .running(continuation)
            return continuation
        }
        guard let continuation else { return }
        let result = Result { try body(cancellation) }
        phase.withLock { $0 = .ended }
        continuation.resume(with: result)
    }

    func cancel() {
        cancellation.cancel()
        let waiting: Continuation? = phase.withLock { phase in
            switch phase {
            case .created:
                phase = .ended
                return nil
            case .waiting(let continuation):
                phase = .ended
                return continuation
            case .running, .ended:
                return nil
            }
        }
        waiting?.resume(throwing: CancellationError())
    }
}

/// Cancels one job. A late cancellation can't reach the next job.
final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)
    private let checksLeft: Atomic<Int>

    /// Whether the job must not wait and has a limited number of checks.
    let isBrief: Bool

    /// - Parameter checks: The checks after which the job is cancelled; nil for no limit.
    init(checks: Int? = nil) {
        isBrief = checks != nil
        checksLeft = Atomic(checks ?? .max)
    }

    /// Called by the running statement about every 20 µs of its work.
    func shouldStop() -> Bool {
        if isBrief, checksLeft.wrappingSubtract(1, ordering: .relaxed).newValue < 0 { cancel() }
        return isCancelled
    }

    var isCancelled: Bool {
        flag.load(ordering: .relaxed)
    }

    func cancel() {
        flag.store(true, ordering: .relaxed)
    }

    func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }
}
