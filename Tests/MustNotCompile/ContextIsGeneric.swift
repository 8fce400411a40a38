// A context passed to a function that could keep what it is given.
// error: global function 'keep' requires that 'RepositoryContext' conform to 'Copyable'
import AtriumKit

func keep<Value>(_ value: Value) {}

@MainActor func make(_ context: borrowing RepositoryContext) {
    keep(context)
}
