internal import Synchronization

/// One closure on its way through a database's queue.
///
/// Cancelled while it waits, it answers at once and never runs. Cancelled while it runs, it answers when
/// its statement has stopped.
final class DatabaseJob<Value: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Value, any Error>

    private enum Phase {
        /// Nobody waits for it yet.
        case created
        /// It is on the queue.
        case waiting(Continuation)
        /// Its closure runs.
        case running(Continuation)
        /// Somebody has been answered, or will be as soon as they ask.
        case over
    }

    /// What the running closure looks at.
    let cancellation = CancellationFlag()
    private let phase = Mutex(Phase.created)

    /// Registers who waits for the answer.
    ///
    /// - Returns: Whether the job is to be put on the queue; false where it was cancelled already.
    func await(_ continuation: Continuation) -> Bool {
        let isWanted = phase.withLock { phase in
            guard case .created = phase else { return false }
            phase = .waiting(continuation)
            return true
        }
        if !isWanted { continuation.resume(throwing: CancellationError()) }
        return isWanted
    }

    /// Runs the job on the queue's thread, unless it was cancelled meanwhile.
    func run(_ body: (CancellationFlag) throws -> Value) {
        let continuation: Continuation? = phase.withLock { phase in
            guard case .waiting(let continuation) = phase else { return nil }
            phase = .running(continuation)
            return continuation
        }
        guard let continuation else { return }
        let result = Result { try body(cancellation) }
        phase.withLock { $0 = .over }
        continuation.resume(with: result)
    }

    /// Cancels the job; does nothing where its answer has been given.
    func cancel() {
        cancellation.cancel()
        let waiting: Continuation? = phase.withLock { phase in
            switch phase {
            case .created:
                phase = .over
                return nil
            case .waiting(let continuation):
                phase = .over
                return continuation
            case .running, .over:
                return nil
            }
        }
        waiting?.resume(throwing: CancellationError())
    }
}
