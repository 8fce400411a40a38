// A service that accesses the session.
// error: value of type 'ServiceContext' has no member 'session'
import AtriumKit

protocol PriceService: Sendable {}
struct LocalPriceService: PriceService {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.service(
        (any PriceService).self,
        live: .unavailable,
        local: { context in
            _ = context.session
            return LocalPriceService()
        },
        mock: { _ in LocalPriceService() })
}
