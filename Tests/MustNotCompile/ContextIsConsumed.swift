// A borrowed context that is consumed.
// error: 'consumed' is borrowed and cannot be consumed
// error: 'given' is borrowed and cannot be consumed
// error: 'givenAway' is borrowed and cannot be consumed
// error: 'bound' is borrowed and cannot be consumed
// error: 'varied' is borrowed and cannot be consumed
import AtriumKit

func take(_ context: consuming RepositoryContext) {}
func takeAny<Value: ~Copyable>(_ value: consuming Value) {}

@MainActor func consume(_ consumed: borrowing RepositoryContext) {
    let kept = consume consumed
    _ = kept
}

@MainActor func give(_ given: borrowing RepositoryContext) {
    take(given)
}

@MainActor func giveAny(_ givenAway: borrowing RepositoryContext) {
    takeAny(givenAway)
}

@MainActor func bind(_ bound: borrowing RepositoryContext) {
    let kept = bound
    _ = kept
}

@MainActor func vary(_ varied: borrowing RepositoryContext) {
    var kept = varied
    _ = kept
    kept = varied
}
