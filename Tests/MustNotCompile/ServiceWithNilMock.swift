// A service whose mock is nil.
// error: 'nil' is not compatible with expected argument type
import AtriumKit

protocol PriceService: Sendable {}
struct LocalPriceService: PriceService {}
struct MockPriceService: PriceService {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.service(
        (any PriceService).self,
        live: .unavailable,
        local: { _ in LocalPriceService() },
        mock: nil)
}
