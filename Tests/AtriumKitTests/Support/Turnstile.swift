/// Suspends each caller until the test opens it or the caller is cancelled.
@MainActor
final class Turnstile {
    private var isOpen = false
    private var arrived = 0
    private var stopped: [AsyncStream<Void>.Continuation] = []
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Records an arrival and waits until the turnstile is open.
    func pass() async {
        note()
        guard !isOpen else { return }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        stopped.append(continuation)
        for await _ in stream {}
    }

    /// Records an arrival without waiting.
    func note() {
        arrived += 1
        for watcher in watchers where watcher.count <= arrived { watcher.continuation.resume() }
        watchers.removeAll { $0.count <= arrived }
    }

    /// Waits for `count` arrivals.
    func arrivals(_ count: Int) async {
        guard arrived < count else { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }

    /// Resumes all waiting callers, and lets later ones pass.
    func open() {
        isOpen = true
        for continuation in stopped { continuation.finish() }
        stopped = []
    }
}
