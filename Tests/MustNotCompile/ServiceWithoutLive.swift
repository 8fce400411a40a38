// A service without an entry for environment live.
// error: missing argument for parameter 'live' in call
import AtriumKit

protocol PriceService: Sendable {}
struct LocalPriceService: PriceService {}
struct MockPriceService: PriceService {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.service(
        (any PriceService).self,
        local: { _ in LocalPriceService() },
        mock: { _ in MockPriceService() })
}
