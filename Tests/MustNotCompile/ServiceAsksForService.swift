// A service that resolves another service.
// error: value of type 'ServiceContext' has no member 'service'
import AtriumKit

protocol PriceService: Sendable {}
protocol StockService: Sendable {}
struct LocalStockService: StockService { let prices: any PriceService }
struct MockStockService: StockService {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.service(
        (any StockService).self,
        live: .unavailable,
        local: { context in
            let prices: any PriceService = try context.service()
            return LocalStockService(prices: prices)
        },
        mock: { _ in MockStockService() })
}
