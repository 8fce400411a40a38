// A use case that resolves a service.
// error: value of type 'UseCaseContext' has no member 'service'
import AtriumKit

protocol PriceService: Sendable {}
struct FindPrices {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.useCase(FindPrices.self) { context in
        let prices: any PriceService = try context.service()
        _ = prices
        return FindPrices()
    }
}
