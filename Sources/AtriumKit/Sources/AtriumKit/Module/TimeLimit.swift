/// Runs an operation with a time limit; stops waiting then, or when the caller is cancelled, even if the
/// operation ignores its cancellation.
///
/// Calls `didSuspend` when the operation first waits.
@MainActor
@_spi(Host) public func withTimeLimit<Value: Sendable>(
    _ limit: Duration, of what: String, didSuspend: @MainActor () -> Void = {},
    _ operation: @escaping @MainActor () async throws -> Value
) async throws -> Value {
    try Task.checkCancellation()
    let promise = Promise<Value>()
    // Runs synchronously up to its first suspension; an operation without one needs no clock.
    let work = Task.immediate {
        do { promise.settle(.success(try await operation())) } catch { promise.settle(.failure(error)) }
    }
    if let result = promise.result { return try result.get() }
    didSuspend()
    let clock = Task {
        guard await wait(limit) else { return }
        promise.settle(
            .failure(
                ServiceError(
                    .timedOut, "\(what) did not end within \(limit.components.seconds) s.",
                    hint: "Find out what it waits for; that may never happen.")))
    }
    defer {
        work.cancel()
        clock.cancel()
    }
    return try await promise.value()
}

/// Waits; returns false if the task was cancelled meanwhile.
@MainActor
private func wait(_ limit: Duration) async -> Bool {
    // Short operations need no timer: the first one of a process costs a thread and a millisecond.
    for _ in 0..<4 {
        await Task.yield()
        if Task.isCancelled { return false }
    }
    // In steps that each need the main actor: while it is busy with other work, the operation can't continue
    // either, and its time limit does not run.
    for _ in 0..<100 {
        guard (try? await Task.sleep(for: limit / 100)) != nil else { return false }
    }
    return true
}
