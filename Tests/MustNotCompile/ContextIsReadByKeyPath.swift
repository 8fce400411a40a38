// A context read through key paths, which could be stored.
// error: key path cannot refer to noncopyable type 'RepositoryContext'
import AtriumKit

@MainActor func make(_ context: borrowing RepositoryContext) {
    _ = \RepositoryContext.clock
}
