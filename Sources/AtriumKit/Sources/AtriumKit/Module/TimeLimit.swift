/// Runs what may never end: gives it up after a time, or at once when the caller is cancelled, even where it
/// does not heed that it was cancelled itself.
///
/// - Parameters:
///   - limit: How long it may take.
///   - what: What it is, for the error.
///   - operation: What is run; it goes on by itself where it does not heed cancellation.
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

/// An operation against the clock: whichever ends first counts.
@MainActor
private final class Race<Value> {
    private var continuation: CheckedContinuation<Void, Never>?
    private var result: Result<Value, any Error>?
    private var tasks: [Task<Void, Never>] = []
    private static var steps: Int { 100 }
    private static var turns: Int { 4 }

    var isOver: Bool { result != nil }

    /// Runs the operation in this turn, up to where it waits: what ends before needs no clock.
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

    /// Waits for what comes first.
    func wait(_ continuation: CheckedContinuation<Void, Never>, limit: Duration, of what: String) {
        guard !isOver else { return continuation.resume() }
        self.continuation = continuation
        let clock = Task {
            // What ends soon needs no timer: the first one of a process costs a thread and a millisecond.
            for _ in 0..<Self.turns {
                await Task.yield()
                if Task.isCancelled { return }
            }
            // In steps that each need a turn of the main actor: while that is busy with something else, the
            // operation can't go on either, and its time does not run.
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

/// That something took too long.
@_spi(Host) public struct TimeLimitError: ExplainedError {
    public let code: ErrorCode = "timedOut"
    public let message: String
    public var hint: String? { "Look at what it waits for; it may wait for something that never comes." }

    init(_ what: String, _ limit: Duration) {
        message = "\(what) did not end within \(limit.components.seconds) s."
    }
}
