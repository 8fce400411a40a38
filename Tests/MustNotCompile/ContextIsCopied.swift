// A context that is copied.
// error: 'copy' cannot be applied to noncopyable types
import AtriumKit

@MainActor func make(_ context: borrowing RepositoryContext) {
    let kept = copy context
    _ = kept
}
