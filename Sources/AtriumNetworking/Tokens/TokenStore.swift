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
