/// Stops who passes until the test opens it; who is cancelled is let through.
@MainActor
final class Turnstile {
    private var isOpen = false
    private var arrived = 0
    private var stopped: [AsyncStream<Void>.Continuation] = []
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Notes an arrival and waits until the turnstile is open.
    func pass() async {
        note()
        guard !isOpen else { return }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        stopped.append(continuation)
        for await _ in stream {}
    }

    /// Notes an arrival without waiting.
    func note() {
        arrived += 1
        for watcher in watchers where watcher.count <= arrived { watcher.continuation.resume() }
        watchers.removeAll { $0.count <= arrived }
    }

    /// Waits until `count` have arrived.
    func arrivals(_ count: Int) async {
        guard arrived < count else { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }

    /// Lets everybody through, from now on.
    func open() {
        isOpen = true
        for continuation in stopped { continuation.finish() }
        stopped = []
    }
}
