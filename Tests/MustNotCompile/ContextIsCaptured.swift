// Factories that capture their context in escaping closures. The parameter's type is written out: if it is
// inferred, Swift 6.3.1 crashes (signal 11, pass "MoveOnlyChecker") instead of reporting the error.
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

@MainActor func register(in registry: ModuleRegistry) {
    registry.repository(PriceRepository.self, named: "escaping") {
        (inEscaping: borrowing RepositoryContext) in
        later { _ = inEscaping.clock }
        return PriceRepository()
    }
    registry.repository(PriceRepository.self, named: "kept") {
        (inProperty: borrowing RepositoryContext) in
        kept = { _ = inProperty.clock }
        return PriceRepository()
    }
    registry.repository(PriceRepository.self, named: "local") {
        (inVariable: borrowing RepositoryContext) in
        let work = { _ = inVariable.clock }
        work()
        return PriceRepository()
    }
    registry.repository(PriceRepository.self, named: "task") {
        (inTask: borrowing RepositoryContext) in
        Task { _ = inTask.clock }
        return PriceRepository()
    }
    registry.repository(PriceRepository.self, named: "sendable") {
        (inSendable: borrowing RepositoryContext) in
        sendable { _ = inSendable }
        return PriceRepository()
    }
    registry.repository(PriceRepository.self, named: "nested") {
        (inNested: borrowing RepositoryContext) in
        now { later { _ = inNested.clock } }
        return PriceRepository()
    }
    registry.repository(PriceRepository.self, named: "function") {
        (inFunction: borrowing RepositoryContext) in
        @MainActor func work() { _ = inFunction.clock }
        later(work)
        return PriceRepository()
    }
    registry.repository(PriceRepository.self, named: "autoclosure") {
        (inAutoclosure: borrowing RepositoryContext) in
        evaluate(inAutoclosure.clock)
        return PriceRepository()
    }
    registry.repository(PriceRepository.self, named: "initializer") {
        (inInitializer: borrowing RepositoryContext) in
        _ = PriceStore { inInitializer.clock }
        return PriceRepository()
    }
    registry.repository(PriceRepository.self, named: "withoutEscaping") {
        (inWithout: borrowing RepositoryContext) in
        withoutActuallyEscaping({ _ = inWithout.clock } as () -> Void) { finally($0) }
        return PriceRepository()
    }
}
