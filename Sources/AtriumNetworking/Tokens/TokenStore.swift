package import AtriumKit
internal import Synchronization

/// Keeps tokens between runs, for all processes of one person.
///
/// The calls are short and do not wait, so that a change of the tokens in use and of the stored ones is one
/// step for every caller.
package protocol TokenStore: Sendable {
    /// The stored tokens; nil where there are none.
    func load() throws -> AccessTokens?
    /// Stores tokens in place of those that are stored; these stay where it throws.
    func save(_ tokens: AccessTokens) throws
    /// Forgets the stored tokens.
    func clear() throws
}

/// Keeps tokens for as long as the process runs.
package final class MemoryTokenStore: TokenStore {
    private let stored: Mutex<AccessTokens?>

    package init(_ tokens: AccessTokens? = nil) {
        stored = Mutex(tokens)
    }

    package func load() -> AccessTokens? { stored.withLock { $0 } }
    package func save(_ tokens: AccessTokens) { stored.withLock { $0 = tokens } }
    package func clear() { stored.withLock { $0 = nil } }
}
