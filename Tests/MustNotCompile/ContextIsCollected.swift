// A context in an array, a dictionary, a tuple and an Any.
// error: generic struct 'Array' requires that 'RepositoryContext' conform to 'Copyable'
// error: generic struct 'Dictionary' requires that 'UseCaseContext' conform to 'Copyable'
// error: type '(RepositoryContext, Int)' containing noncopyable element is not supported
// error: value of type 'RepositoryContext' does not conform to specified type 'Copyable'
// error: value of type 'RepositoryContext' expected to be instance of class or class-constrained type
import AtriumKit

@MainActor func array(_ context: borrowing RepositoryContext) {
    _ = [context]
}

@MainActor func dictionary(_ context: borrowing UseCaseContext) {
    _ = ["kept": context]
}

@MainActor func tuple(_ context: borrowing RepositoryContext) {
    let pair = (context, 1)
    _ = pair
}

@MainActor func anything(_ context: borrowing RepositoryContext) {
    let kept: Any = context
    _ = kept
}

@MainActor func object(_ context: borrowing RepositoryContext) {
    _ = context as AnyObject
}
