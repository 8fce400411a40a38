/// Runs an operation with a time limit; stops waiting then, or when the caller is cancelled, even if the operation
/// ignores its cancellation.
///
/// - Parameters:
///   - limit: How long it may take.
///   - what: Its name in the error.
///   - operation: The operation; it continues by itself if it ignores cancellation.
/// - Returns: What the operation returned.
/// - Throws: What the operation threw, ``TimeLimitError``, or `CancellationError`.
@MainActor
@_spi(Host) public func withTimeLimit<Value>(
    _ limit: Duration, of what: String, _ operation: @escaping @MainActor () async throws -> Value
) async throws -> Value {
    try Task.checkCancellation()
    let race = Race<Value>()
    race.begin(operation)
    if race.isOver { return try race.outcome() }
    return try await withTaskCancellationHandler {
        await withCheckedContinuation { race.wait($0, limit: limit, of: what) }
        return try race.outcome()
    } onCancel: {
        Task { @MainActor in race.end(.failure(CancellationError())) }
    }
}

/// A race between an operation and the clock.
@MainActor
private final class Race<Value> {
    private var continuation: CheckedContinuation<Void, Never>?
    private var result: Result<Value, any Error>?
    private var tasks: [Task<Void, Never>] = []
    private static var steps: Int { 100 }
    private static var turns: Int { 4 }

    var isOver: Bool { result != nil }

    /// Runs the operation in this turn up to its first suspension; without one it needs no clock.
    func begin(_ operation: @escaping @MainActor () async throws -> Value) {
        let work = Task.immediate {
            do {
                end(.success(try await operation()))
            } catch {
                end(.failure(error))
            }
        }
        if !isOver { tasks = [work] }
    }

    /// Waits for the first of the two.
    func wait(_ continuation: CheckedContinuation<Void, Never>, limit: Duration, of what: String) {
        guard !isOver else { return continuation.resume() }
        self.continuation = continuation
        let clock = Task {
            // Short operations need no timer: the first one of a process costs a thread and a millisecond.
            for _ in 0..<Self.turns {
                await Task.yield()
                if Task.isCancelled { return }
            }
            // In steps that each need a turn of the main actor: while that is busy with something else, the
            // operation can't continue either, and its time does not run.
            for _ in 0..<Self.steps {
                guard (try? await Task.sleep(for: limit / Self.steps)) != nil else { return }
            }
            end(.failure(TimeLimitError(what, limit)))
        }
        tasks.append(clock)
    }

    func end(_ result: Result<Value, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        for task in tasks { task.cancel() }
        tasks = []
        continuation?.resume()
        continuation = nil
    }

    func outcome() throws -> Value {
        guard let result else { throw CancellationError() }
        return try result.get()
    }
}

/// An operation exceeded its time limit.
@_spi(Host) public struct TimeLimitError: ExplainedError {
    public let code: ErrorCode = "timedOut"
    public let message: String
    public var hint: String? { "Find out what it waits for; that may never happen." }

    init(_ what: String, _ limit: Duration) {
        message = "\(what) did not end within \(limit.components.seconds) s."
    }
}
