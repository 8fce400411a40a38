// A repository that resolves another repository.
// error: value of type 'RepositoryContext' has no member 'repository'
import AtriumKit

final class PriceRepository {}
final class StockRepository {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.repository(StockRepository.self) { context in
        let prices: PriceRepository = try context.repository()
        _ = prices
        return StockRepository()
    }
}
