// A context in an optional, a result, an inline array, a box and an existential.
// error: 'inOptional' is borrowed and cannot be consumed
// error: 'inResult' is borrowed and cannot be consumed
// error: 'inArray' is borrowed and cannot be consumed
// error: 'inBox' is borrowed and cannot be consumed
// error: 'inExistential' is borrowed and cannot be consumed
import AtriumKit

struct Box: ~Copyable { let context: RepositoryContext }

@MainActor func optional(_ inOptional: borrowing RepositoryContext) {
    let kept: RepositoryContext? = inOptional
    _ = kept
}

@MainActor func result(_ inResult: borrowing RepositoryContext) {
    let kept: Result<RepositoryContext, any Error> = .success(inResult)
    _ = kept
}

@MainActor func inlineArray(_ inArray: borrowing RepositoryContext) {
    let kept: [1 of RepositoryContext] = [inArray]
    _ = kept
}

@MainActor func box(_ inBox: borrowing RepositoryContext) {
    let kept = Box(context: inBox)
    _ = kept
}

@MainActor func existential(_ inExistential: borrowing RepositoryContext) {
    let kept: any ~Copyable = inExistential
    _ = kept
}
