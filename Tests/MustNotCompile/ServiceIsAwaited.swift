// An asynchronous factory of a service.
// error: cannot pass function of type '@Sendable (borrowing ServiceContext) async throws
import AtriumKit

protocol PriceService: Sendable {}
struct LocalPriceService: PriceService {}
struct MockPriceService: PriceService {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.service(
        (any PriceService).self,
        live: .unavailable,
        local: { _ in LocalPriceService() },
        mock: { _ in
            try await Task.sleep(for: .zero)
            return MockPriceService()
        })
}
