// A context in a global variable and in a static property.
// error: implicit conversion to 'RepositoryContext?' is consuming
// error: implicit conversion to 'ServiceContext?' is consuming
import AtriumKit

@MainActor var kept: RepositoryContext?

@MainActor func repository(_ context: borrowing RepositoryContext) {
    kept = context
}

@MainActor enum Kept { static var context: ServiceContext? }

@MainActor func service(_ context: borrowing ServiceContext) {
    Kept.context = context
}
