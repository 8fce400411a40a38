// A local type that closes over a context.
// error: struct declaration cannot close over value 'context' defined in outer scope
import AtriumKit

@MainActor func make(_ context: borrowing RepositoryContext) {
    let clock = context.clock
    @MainActor struct Later {
        func now() { _ = context.clock }
    }
    _ = Later()
    _ = clock
}
