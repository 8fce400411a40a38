// A service without an entry for environment local.
// error: missing argument for parameter 'local' in call
import AtriumKit

protocol PriceService: Sendable {}
struct LocalPriceService: PriceService {}
struct MockPriceService: PriceService {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.service(
        (any PriceService).self,
        live: .unavailable,
        mock: { _ in MockPriceService() })
}
