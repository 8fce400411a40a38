internal import Synchronization

/// One piece of work that any number of callers wait for.
///
/// A caller who is cancelled leaves; the others go on waiting. Work that nobody waits for any more is
/// cancelled where the work says so, and then takes no more callers.
final class SharedWork<Value: Sendable>: Sendable {
    private struct State {
        var outcome: Result<Value, any Error>?
        var waiting: [Int: CheckedContinuation<Value, any Error>?] = [:]
        var count = 0
        var isAbandoned = false
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let endsWhenAbandoned: Bool

    init(endsWhenAbandoned: Bool) {
        self.endsWhenAbandoned = endsWhenAbandoned
    }

    /// Begins the work; once.
    func begin(_ work: @escaping @Sendable () async throws -> Value) {
        let task = Task {
            do { end(.success(try await work())) } catch { end(.failure(error)) }
        }
        let isAbandoned = state.withLock { state in
            state.task = task
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    /// Takes a place among those who wait; nil where the work was given up.
    func join() -> Int? {
        state.withLock { state in
            guard !state.isAbandoned else { return nil }
            state.count += 1
            state.waiting[state.count] = .some(nil)
            return state.count
        }
    }

    /// Waits at a place that was taken.
    func value(at place: Int) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(at: place, $0) }
        } onCancel: {
            leave(place)
        }
    }

    private func wait(at place: Int, _ continuation: CheckedContinuation<Value, any Error>) {
        let known: Result<Value, any Error>? = state.withLock { state in
            // Who was cancelled before has left.
            guard state.waiting[place] != nil else { return .failure(CancellationError()) }
            if let outcome = state.outcome {
                state.waiting[place] = nil
                return outcome
            }
            state.waiting[place] = .some(continuation)
            return nil
        }
        if let known { continuation.resume(with: known) }
    }

    private func leave(_ place: Int) {
        let (continuation, task) = state.withLock { state in
            let continuation = state.waiting.removeValue(forKey: place).flatMap { $0 }
            let isAlone = state.waiting.isEmpty && state.outcome == nil && endsWhenAbandoned
            if isAlone { state.isAbandoned = true }
            return (continuation, isAlone ? state.task : nil)
        }
        task?.cancel()
        continuation?.resume(throwing: CancellationError())
    }

    private func end(_ outcome: Result<Value, any Error>) {
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
