// An awaited factory whose context is captured by tasks that may outlive it.
// error: 'inTask' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inDetached' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inChild' cannot be captured by an escaping closure since it is a borrowed parameter
// error: 'inGroup' cannot be captured by an escaping closure since it is a borrowed parameter
import AtriumKit

final class PriceRepository {}
@MainActor func use(_ context: borrowing RepositoryContext) async {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.repository(
        PriceRepository.self, named: "task",
        awaiting: {
            (inTask: borrowing RepositoryContext) in
            Task { await use(inTask) }
            return PriceRepository()
        })
    registry.repository(
        PriceRepository.self, named: "detached",
        awaiting: {
            (inDetached: borrowing RepositoryContext) in
            Task.detached { await use(inDetached) }
            return PriceRepository()
        })
    registry.repository(
        PriceRepository.self, named: "child",
        awaiting: {
            (inChild: borrowing RepositoryContext) in
            async let used: Void = use(inChild)
            await used
            return PriceRepository()
        })
    registry.repository(
        PriceRepository.self, named: "group",
        awaiting: {
            (inGroup: borrowing RepositoryContext) in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await use(inGroup) }
            }
            return PriceRepository()
        })
}
