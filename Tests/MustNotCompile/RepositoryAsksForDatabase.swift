// A repository that resolves the database.
// error: value of type 'RepositoryContext' has no member 'database'
import AtriumKit

final class PriceRepository {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.repository(PriceRepository.self) { context in
        _ = context.database
        return PriceRepository()
    }
}
