// A service with a mock and no other implementation.
// error: 'service(_:named:lifetime:live:local:mock:)' is unavailable: Give the service an implementation for live or local.
import AtriumKit

protocol PriceService: Sendable {}
struct LocalPriceService: PriceService {}
struct MockPriceService: PriceService {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.service(
        (any PriceService).self,
        live: .unavailable,
        local: .unavailable,
        mock: { _ in MockPriceService() })
}
