// A service without a mock.
// error: missing argument for parameter 'mock' in call
import AtriumKit

protocol PriceService: Sendable {}
struct LocalPriceService: PriceService {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.service((any PriceService).self, live: .unavailable, local: { _ in LocalPriceService() })
}
