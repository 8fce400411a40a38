package import AtriumKit
internal import Synchronization

/// Stores tokens between runs, for all processes of one person.
///
/// The calls are synchronous, so that the tokens in use and the stored ones change in one step.
package protocol TokenStore: Sendable {
    func load() throws -> AccessTokens?
    /// Replaces the stored tokens; after a throw they are unchanged.
    func save(_ tokens: AccessTokens) throws
    func clear() throws
}

/// Keeps tokens in memory.
package final class MemoryTokenStore: TokenStore {
    private let stored: Mutex<AccessTokens?>

    package init(_ tokens: AccessTokens? = nil) {
        stored = Mutex(tokens)
    }

    package func load() -> AccessTokens? { stored.withLock { $0 } }
    package func save(_ tokens: AccessTokens) { stored.withLock { $0 = tokens } }
    package func clear() { stored.withLock { $0 = nil } }
}

/// The listeners for token events.
final class TokenEvents: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<TokenEvent>.Continuation] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Returns the events from now on, buffered until they are read.
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
