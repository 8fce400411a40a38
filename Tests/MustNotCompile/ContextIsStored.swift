// A context stored for later.
// error: 'context' is borrowed and cannot be consumed
import AtriumKit

@MainActor final class PriceRepository {
    private let context: RepositoryContext

    init(context: consuming RepositoryContext) {
        self.context = context
    }
}

@MainActor func register(in registry: ModuleRegistry) {
    registry.repository(PriceRepository.self) { context in
        PriceRepository(context: context)
    }
}
