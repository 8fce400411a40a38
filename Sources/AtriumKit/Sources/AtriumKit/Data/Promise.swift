internal import Synchronization

/// A result that arrives once, and that any number of tasks wait for.
///
/// ```swift
/// let promise = Promise<Int>()
/// Task { promise.settle(.success(42)) }
/// let answer = try await promise.value()
/// ```
///
/// A task that is cancelled stops waiting; the others go on. The result comes from ``settle(_:)``, or from work
/// that ``begin(_:)`` or ``beginImmediately(isolation:_:)`` starts in a task of its own.
public final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiting: [Int: CheckedContinuation<Value, any Error>?] = [:]
        /// Why tickets were given back before anybody waited with them.
        var reasons: [Int: any Error] = [:]
        var lastTicket = 0
        var isAbandoned = false
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let cancelsWhenAbandoned: Bool
    private let onAbandon: @Sendable () -> Void

    /// A promise without a result.
    ///
    /// With `cancelsWhenAbandoned`, the work is cancelled when nobody waits any more, and nobody can join.
    /// `onAbandon` runs on any thread when the last caller leaves before there is a result, before that
    /// caller continues.
    public init(cancelsWhenAbandoned: Bool = false, onAbandon: @escaping @Sendable () -> Void = {}) {
        self.cancelsWhenAbandoned = cancelsWhenAbandoned
        self.onAbandon = onAbandon
    }

    public var result: Result<Value, any Error>? { state.withLock { $0.result } }

    /// How many callers wait, or have a ticket to.
    public var waiterCount: Int { state.withLock { $0.waiting.count } }

    /// Starts the work that settles the promise; once.
    public func begin(_ work: @escaping @Sendable () async throws -> Value) {
        keep(
            Task {
                do { settle(.success(try await work())) } catch { settle(.failure(error)) }
            })
    }

    /// Starts the work on the caller's actor, in this turn: what need not wait is done when this returns.
    public func beginImmediately(
        isolation: isolated (any Actor)? = #isolation,
        _ work: nonisolated(nonsending) @escaping @Sendable () async throws -> Value
    ) {
        keep(
            Task.immediate {
                // The capture decides where the task runs.
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

    /// The result, waited for if there is none yet; throws `CancellationError` if the calling task is
    /// cancelled.
    public func value(isolation: isolated (any Actor)? = #isolation) async throws -> Value {
        guard let ticket = join() else { throw CancellationError() }
        return try await value(for: ticket)
    }

    /// Settles the promise; later calls do nothing.
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

    /// A ticket to wait with; nil if the work was abandoned.
    @_spi(Host) public func join() -> Int? {
        state.withLock { state in
            guard !state.isAbandoned else { return nil }
            state.lastTicket += 1
            state.waiting[state.lastTicket] = .some(nil)
            return state.lastTicket
        }
    }

    /// Waits with a ticket; throws the failure, `CancellationError`, or what the ticket was given back with.
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

    /// Gives a ticket back: its holder stops waiting and gets the error, the others go on.
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
