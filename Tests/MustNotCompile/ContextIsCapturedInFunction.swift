// Functions that capture a borrowed context in escaping closures.
// error: 'inEscaping' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inProperty' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inVariable' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inTask' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inSendable' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inNested' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inFunction' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inAutoclosure' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inInitializer' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inWithout' cannot be captured by an escaping closure since it is a borrowed parameter
import AtriumKit

final class PriceRepository {}
@MainActor var kept: @MainActor () -> Void = {}
func now(_ work: () -> Void) { work() }
@MainActor func later(_ work: @escaping @MainActor () -> Void) { kept = work }
func sendable(_ work: @escaping @Sendable () -> Void) {}
func finally(_ work: @escaping () -> Void) {}
func evaluate(_ clock: @escaping @autoclosure () -> any WallClock) {}
@MainActor final class PriceStore { init(clock: @escaping @MainActor () -> any WallClock) {} }

@MainActor func escaping(_ inEscaping: borrowing RepositoryContext) {
    later { _ = inEscaping.clock }
}

@MainActor func kept(_ inProperty: borrowing RepositoryContext) {
    kept = { _ = inProperty.clock }
}

@MainActor func local(_ inVariable: borrowing RepositoryContext) {
    let work = { _ = inVariable.clock }
    work()
}

@MainActor func task(_ inTask: borrowing RepositoryContext) {
    Task { _ = inTask.clock }
}

@MainActor func sendable(_ inSendable: borrowing RepositoryContext) {
    sendable { _ = inSendable }
}

@MainActor func nested(_ inNested: borrowing RepositoryContext) {
    now { later { _ = inNested.clock } }
}

@MainActor func function(_ inFunction: borrowing RepositoryContext) {
    @MainActor func work() { _ = inFunction.clock }
    later(work)
}

@MainActor func autoclosure(_ inAutoclosure: borrowing RepositoryContext) {
    evaluate(inAutoclosure.clock)
}

@MainActor func initializer(_ inInitializer: borrowing RepositoryContext) {
    _ = PriceStore { inInitializer.clock }
}

@MainActor func withoutEscaping(_ inWithout: borrowing RepositoryContext) {
    withoutActuallyEscaping({ _ = inWithout.clock } as () -> Void) { finally($0) }
}
