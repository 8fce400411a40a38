// A service whose mock is declared unavailable.
// error: type '@MainActor @Sendable (borrowing ServiceContext) throws -> any PriceService' has no member
import AtriumKit

protocol PriceService: Sendable {}
struct LocalPriceService: PriceService {}
struct MockPriceService: PriceService {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.service(
        (any PriceService).self,
        live: .unavailable,
        local: { _ in LocalPriceService() },
        mock: .unavailable)
}
