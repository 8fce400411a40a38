// A mock of another type than the service.
// error: cannot convert value of type 'MockStockService' to closure result type 'any PriceService'
import AtriumKit

protocol PriceService: Sendable {}
struct LocalPriceService: PriceService {}
struct MockPriceService: PriceService {}
struct MockStockService {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.service(
        (any PriceService).self,
        live: .unavailable,
        local: { _ in LocalPriceService() },
        mock: { _ in MockStockService() })
}
