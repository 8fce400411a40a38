// A service that has a mock and nothing else.
// error: no exact matches in call to instance method 'service'
import AtriumKit

protocol PriceService: Sendable {}
struct LocalPriceService: PriceService {}
struct MockPriceService: PriceService {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.service(
        (any PriceService).self,
        live: Unavailable.unavailable,
        local: Unavailable.unavailable,
        mock: { _ in MockPriceService() })
}
