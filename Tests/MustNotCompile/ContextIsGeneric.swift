// A context passed to a generic function, which could store it.
// error: global function 'keep' requires that 'RepositoryContext' conform to 'Copyable'
import AtriumKit

func keep<Value>(_ value: Value) {}

@MainActor func make(_ context: borrowing RepositoryContext) {
    keep(context)
}
