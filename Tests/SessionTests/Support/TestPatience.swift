/// Time that passes when the test says so.
struct TestPatience: Sendable {
    private let limits = AsyncStream.makeStream(of: Duration.self)
    private let moments = AsyncStream.makeStream(of: Void.self)
    private let cancellations = AsyncStream.makeStream(of: Void.self)

    /// Waits until the time is over, or the calling task is cancelled.
    func sleep(_ limit: Duration) async throws {
        limits.continuation.yield(limit)
        for await _ in moments.stream {}
        if Task.isCancelled { cancellations.continuation.yield() }
        try Task.checkCancellation()
    }

    /// How long somebody wants to wait; waited for.
    func limit() async -> Duration? {
        for await limit in limits.stream { return limit }
        return nil
    }

    /// The time is over.
    func end() { moments.continuation.finish() }

    /// Waits until somebody who waited was cancelled.
    func cancellation() async {
        for await _ in cancellations.stream { return }
    }
}
