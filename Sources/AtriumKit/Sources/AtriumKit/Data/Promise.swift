internal import Synchronization

/// A result that arrives once, and that any number of tasks can wait for.
///
/// ```swift
/// let promise = Promise<Int>()
/// Task { promise.settle(.success(42)) }
/// let answer = try await promise.value()
/// ```
///
/// A task that is cancelled stops waiting; the others continue. The result comes from ``settle(_:)``, or from
/// work that ``begin(_:)`` or ``beginImmediately(isolation:_:)`` starts in a separate task.
public final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiting: [Int: CheckedContinuation<Value, any Error>?] = [:]
        /// The errors of tickets that were returned before their holder waited.
        var reasons: [Int: any Error] = [:]
        var lastTicket = 0
        var isAbandoned = false
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let cancelsWhenAbandoned: Bool
    private let onAbandon: @Sendable () -> Void

    /// Creates a promise without a result.
    ///
    /// With `cancelsWhenAbandoned`, the work is cancelled when no caller waits any more, and none can join.
    /// `onAbandon` runs on any thread when the last caller leaves before there is a result, before that
    /// caller continues.
    public init(cancelsWhenAbandoned: Bool = false, onAbandon: @escaping @Sendable () -> Void = {}) {
        self.cancelsWhenAbandoned = cancelsWhenAbandoned
        self.onAbandon = onAbandon
    }

    /// The result; nil until it arrives.
    public var result: Result<Value, any Error>? { state.withLock { $0.result } }

    /// The number of callers that wait, or have a ticket to wait with.
    public var waiterCount: Int { state.withLock { $0.waiting.count } }

    /// Starts the work that provides the result; call it once.
    public func begin(_ work: @escaping @Sendable () async throws -> Value) {
        keep(
            Task {
                do { settle(.success(try await work())) } catch { settle(.failure(error)) }
            })
    }

    /// Starts the work on the caller's actor, synchronously up to its first suspension.
    public func beginImmediately(
        isolation: isolated (any Actor)? = #isolation,
        _ work: nonisolated(nonsending) @escaping @Sendable () async throws -> Value
    ) {
        keep(
            Task.immediate {
                // The capture sets the actor that the task runs on.
                _ = isolation
                do { settle(.success(try await work())) } catch { settle(.failure(error)) }
            })
    }

    private func keep(_ task: Task<Void, Never>) {
        let isAbandoned = state.withLock { state in
            if state.result == nil { state.task = task }
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    /// Returns the result, waiting for it if there is none yet; throws `CancellationError` if the calling
    /// task is cancelled.
    public func value(isolation: isolated (any Actor)? = #isolation) async throws -> Value {
        guard let ticket = join() else { throw CancellationError() }
        return try await value(for: ticket)
    }

    /// Sets the result; later calls do nothing.
    public func settle(_ result: Result<Value, any Error>) {
        let waiting: [Int: CheckedContinuation<Value, any Error>] = state.withLock { state in
            guard state.result == nil else { return [:] }
            state.result = result
            state.task = nil
            let waiting = state.waiting.compactMapValues { $0 }
            for ticket in waiting.keys { state.waiting[ticket] = nil }
            return waiting
        }
        for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) { continuation.resume(with: result) }
    }

    // MARK: - Tickets

    /// Returns a ticket to wait with; nil if the work was abandoned.
    @_spi(Host) public func join() -> Int? {
        state.withLock { state in
            guard !state.isAbandoned else { return nil }
            state.lastTicket += 1
            state.waiting[state.lastTicket] = .some(nil)
            return state.lastTicket
        }
    }

    /// Waits with a ticket; throws the failure, `CancellationError`, or the error that the ticket was
    /// returned with.
    @_spi(Host) public func value(
        for ticket: Int, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        if !Task.isCancelled, let result = takeResult(for: ticket) { return try result.get() }
        return try await withTaskCancellationHandler {
            // Without the capture the closure would run on another thread.
            _ = isolation
            return try await withCheckedThrowingContinuation { wait(with: ticket, $0) }
        } onCancel: {
            leave(ticket)
        }
    }

    private func takeResult(for ticket: Int) -> Result<Value, any Error>? {
        state.withLock { state in
            guard let result = state.result, state.waiting.removeValue(forKey: ticket) != nil else {
                return nil
            }
            return result
        }
    }

    private func wait(with ticket: Int, _ continuation: CheckedContinuation<Value, any Error>) {
        let result: Result<Value, any Error>? = state.withLock { state in
            guard state.waiting[ticket] != nil
            else { return .failure(state.reasons.removeValue(forKey: ticket) ?? CancellationError()) }
            if let result = state.result {
                state.waiting[ticket] = nil
                return result
            }
            state.waiting[ticket] = .some(continuation)
            return nil
        }
        if let result { continuation.resume(with: result) }
    }

    /// Returns a ticket: its holder stops waiting and gets the error, the others continue.
    @_spi(Host) public func leave(_ ticket: Int, throwing error: any Error = CancellationError()) {
        let (continuation, isAbandoned, task) = state.withLock { state in
            let waiter = state.waiting.removeValue(forKey: ticket)
            let continuation = waiter.flatMap { $0 }
            if waiter != nil, continuation == nil { state.reasons[ticket] = error }
            let isAbandoned = waiter != nil && state.waiting.isEmpty && state.result == nil
            guard isAbandoned, cancelsWhenAbandoned else {
                return (continuation, isAbandoned, Task<Void, Never>?.none)
            }
            state.isAbandoned = true
            return (continuation, true, state.task)
        }
        if isAbandoned { onAbandon() }
        task?.cancel()
        continuation?.resume(throwing: error)
    }
}
