internal import AtriumKit
internal import Synchronization

/// Those who listen to what happens to the tokens.
final class TokenEvents: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<TokenEvent>.Continuation] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// What happens from now on, for one listener; events wait until they are read.
    func stream() -> AsyncStream<TokenEvent> {
        let (stream, continuation) = AsyncStream<TokenEvent>.makeStream()
        let number = state.withLock { state in
            state.count += 1
            state.listeners[state.count] = continuation
            return state.count
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    func send(_ event: TokenEvent) {
        // Called outside the lock: a listener that has ended removes itself.
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
    }

    private func remove(_ number: Int) {
        _ = state.withLock { $0.listeners.removeValue(forKey: number) }
    }
}
