// A function that returns a borrowed context.
// error: 'context' is borrowed and cannot be consumed
import AtriumKit

@MainActor func same(_ context: borrowing RepositoryContext) -> RepositoryContext {
    context
}
