// Contexts captured by tasks that may outlive them.
// error: 'inTask' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inDetached' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inChild' is borrowed and cannot be consumed
// error: copy of noncopyable typed value. This is a compiler bug.
import AtriumKit

final class PriceRepository {}
@MainActor func use(_ context: borrowing RepositoryContext) async {}
@MainActor func use(_ context: borrowing ActivationContext) async {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.repository(PriceRepository.self, named: "task") { (inTask: borrowing RepositoryContext) in
        Task { await use(inTask) }
        return PriceRepository()
    }
    registry.repository(PriceRepository.self, named: "detached") {
        (inDetached: borrowing RepositoryContext) in
        Task.detached { await use(inDetached) }
        return PriceRepository()
    }
}

@MainActor func activateWithChild(_ inChild: borrowing ActivationContext) async {
    async let used: Void = use(inChild)
    await used
}

@MainActor func activateWithGroup(_ inGroup: borrowing ActivationContext) async {
    await withTaskGroup(of: Void.self) { group in
        group.addTask { await use(inGroup) }
    }
}
