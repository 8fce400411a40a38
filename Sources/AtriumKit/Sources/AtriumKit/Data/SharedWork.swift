internal import Synchronization

/// One piece of work that any number of callers wait for.
///
/// A caller who is cancelled leaves; the others go on waiting. Work that nobody waits for any more is
/// cancelled where the work says so, and then takes no more callers.
@_spi(Host) public final class SharedWork<Value: Sendable>: Sendable {
    private struct State {
        var outcome: Result<Value, any Error>?
        var waiting: [Int: CheckedContinuation<Value, any Error>?] = [:]
        /// Why places were left before anybody waited there.
        var reasons: [Int: any Error] = [:]
        var count = 0
        var isAbandoned = false
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let endsWhenAbandoned: Bool

    /// - Parameter endsWhenAbandoned: Whether work that nobody waits for any more is cancelled.
    public init(endsWhenAbandoned: Bool) {
        self.endsWhenAbandoned = endsWhenAbandoned
    }

    /// How many callers have a place.
    public var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Begins the work, once; work that somebody does in a task of their own is ended with ``end(_:)`` only.
    public func begin(_ work: @escaping @Sendable () async throws -> Value) {
        keep(
            Task {
                do { end(.success(try await work())) } catch { end(.failure(error)) }
            })
    }

    /// Begins the work, once, on the actor that calls: what need not wait is done when this returns.
    public func beginAtOnce(
        isolation: isolated (any Actor)? = #isolation,
        _ work: nonisolated(nonsending) @escaping @Sendable () async throws -> Value
    ) {
        keep(
            Task.immediate {
                // What a task captures of this kind is where it runs.
                _ = isolation
                do { end(.success(try await work())) } catch { end(.failure(error)) }
            })
    }

    private func keep(_ task: Task<Void, Never>) {
        let isAbandoned = state.withLock { state in
            if state.outcome == nil { state.task = task }
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    /// Takes a place among those who wait; nil where the work was given up.
    public func join() -> Int? {
        state.withLock { state in
            guard !state.isAbandoned else { return nil }
            state.count += 1
            state.waiting[state.count] = .some(nil)
            return state.count
        }
    }

    /// Waits at a place that was taken.
    ///
    /// - Throws: What the work ended with; `CancellationError` where the calling task is cancelled; what the
    ///   place was left with.
    public func value(at place: Int, isolation: isolated (any Actor)? = #isolation) async throws -> Value {
        if !Task.isCancelled, let known = takeOutcome(at: place) { return try known.get() }
        return try await withTaskCancellationHandler {
            // A closure that does not capture it would run on another thread, and come back.
            _ = isolation
            return try await withCheckedThrowingContinuation { wait(at: place, $0) }
        } onCancel: {
            leave(place)
        }
    }

    /// The outcome for a place, where there is one already; the place is given up then.
    private func takeOutcome(at place: Int) -> Result<Value, any Error>? {
        state.withLock { state in
            guard let outcome = state.outcome, state.waiting.removeValue(forKey: place) != nil else {
                return nil
            }
            return outcome
        }
    }

    private func wait(at place: Int, _ continuation: CheckedContinuation<Value, any Error>) {
        let known: Result<Value, any Error>? = state.withLock { state in
            // Who has left before waits for nothing.
            guard state.waiting[place] != nil
            else { return .failure(state.reasons.removeValue(forKey: place) ?? CancellationError()) }
            if let outcome = state.outcome {
                state.waiting[place] = nil
                return outcome
            }
            state.waiting[place] = .some(continuation)
            return nil
        }
        if let known { continuation.resume(with: known) }
    }

    /// Gives a place up: who waits there goes on with an error, the others go on waiting.
    public func leave(_ place: Int, throwing error: any Error = CancellationError()) {
        let (continuation, task) = state.withLock { state in
            let waited = state.waiting.removeValue(forKey: place)
            let continuation = waited.flatMap { $0 }
            // Who has not begun to wait is told as soon as it does.
            if waited != nil, continuation == nil { state.reasons[place] = error }
            let isAlone = state.waiting.isEmpty && state.outcome == nil && endsWhenAbandoned
            if isAlone { state.isAbandoned = true }
            return (continuation, isAlone ? state.task : nil)
        }
        task?.cancel()
        continuation?.resume(throwing: error)
    }

    /// Gives the outcome to everybody who waits, and to who joined and has yet to wait; once.
    public func end(_ outcome: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            state.outcome = outcome
            state.task = nil
            let waiting = state.waiting.compactMapValues { $0 }
            for place in waiting.keys { state.waiting[place] = nil }
            return waiting
        }
        for continuation in waiting.values { continuation.resume(with: outcome) }
    }
}
