// A repository that resolves the API client.
// error: value of type 'RepositoryContext' has no member 'api'
import AtriumKit

final class PriceRepository {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.repository(PriceRepository.self) { context in
        _ = context.api
        return PriceRepository()
    }
}
