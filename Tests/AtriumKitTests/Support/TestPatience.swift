/// A sleep that ends when the test says so.
struct TestPatience: Sendable {
    private let limits = AsyncStream.makeStream(of: Duration.self)
    private let moments = AsyncStream.makeStream(of: Void.self)
    private let cancellations = AsyncStream.makeStream(of: Void.self)

    /// Waits for ``end()`` or the cancellation of the calling task.
    func sleep(_ limit: Duration) async throws {
        limits.continuation.yield(limit)
        for await _ in moments.stream {}
        if Task.isCancelled { cancellations.continuation.yield() }
        try Task.checkCancellation()
    }

    /// Waits for a call of ``sleep(_:)`` and returns its limit.
    func limit() async -> Duration? {
        for await limit in limits.stream { return limit }
        return nil
    }

    /// Ends the sleep.
    func end() { moments.continuation.finish() }

    /// Returns once a sleeping task was cancelled.
    func cancellation() async {
        for await _ in cancellations.stream { return }
    }
}
