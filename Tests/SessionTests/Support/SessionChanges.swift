import AtriumKit

/// The changes of a session as a queue that tests can wait for.
@MainActor
final class SessionChanges {
    private let (changes, continuation) = AsyncStream.makeStream(of: SessionChange.self)

    /// Records the changes from now on.
    init(of session: SessionState) {
        session.observe(self) { $0.continuation.yield($1) }
    }

    /// Waits for the next change.
    func next() async -> SessionChange? {
        var iterator = changes.makeAsyncIterator()
        return await iterator.next()
    }
}
