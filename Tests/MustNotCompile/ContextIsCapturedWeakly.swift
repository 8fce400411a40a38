// A context captured as weak or unowned, which is possible for objects only.
// error: 'weak' may only be applied to class and class-bound protocol types
// error: 'unowned' may only be applied to class and class-bound protocol types
import AtriumKit

@MainActor var kept: () -> Void = {}

@MainActor func weak(_ context: borrowing RepositoryContext) {
    kept = { [weak context] in _ = context }
}

@MainActor func unowned(_ context: borrowing RepositoryContext) {
    kept = { [unowned context] in _ = context }
}
