import AtriumKit

/// The changes of a session, one after the other, for a test that waits for them.
@MainActor
final class SessionChanges {
    private let (changes, continuation) = AsyncStream.makeStream(of: SessionChange.self)

    /// Takes the changes from now on.
    init(of session: SessionState) {
        session.observe(self) { $0.continuation.yield($1) }
    }

    /// The next change that was not taken yet, waited for.
    func next() async -> SessionChange? {
        var iterator = changes.makeAsyncIterator()
        return await iterator.next()
    }
}
