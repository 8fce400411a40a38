// A context read by key paths, which could be kept.
// error: key path cannot refer to noncopyable type 'RepositoryContext'
import AtriumKit

@MainActor func make(_ context: borrowing RepositoryContext) {
    _ = \RepositoryContext.clock
}
