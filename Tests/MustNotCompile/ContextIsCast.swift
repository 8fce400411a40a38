// A context cast to that of another layer.
// error: noncopyable types cannot be conditionally cast
// error: cannot convert value of type 'ServiceContext' to type 'RepositoryContext' in coercion
// error: cannot convert value of type 'ServiceContext' to expected argument type 'RepositoryContext'
import AtriumKit

@MainActor func make(_ context: borrowing ServiceContext) {
    _ = context as? RepositoryContext
    _ = context as RepositoryContext
    use(context)
}

@MainActor func use(_ context: borrowing RepositoryContext) {}
