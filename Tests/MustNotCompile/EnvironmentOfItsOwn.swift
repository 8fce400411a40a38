// An unknown environment.
// error: extra argument 'staging' in call
import AtriumKit

protocol PriceService: Sendable {}
struct LocalPriceService: PriceService {}
struct MockPriceService: PriceService {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.service(
        (any PriceService).self,
        live: .unavailable,
        local: { _ in LocalPriceService() },
        staging: { _ in MockPriceService() })
}
