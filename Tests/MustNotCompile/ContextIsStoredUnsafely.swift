// A context moved into memory that outlives the factory.
// error: 'context' is borrowed and cannot be consumed
import AtriumKit

@MainActor func make(_ context: borrowing RepositoryContext) {
    let kept = UnsafeMutablePointer<RepositoryContext>.allocate(capacity: 1)
    kept.initialize(to: context)
}
