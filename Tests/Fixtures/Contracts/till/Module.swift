import AtriumKit
import Payments

/// Provides the payments.
final class TillModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PaymentService).self, live: { _ in Till() }, local: { _ in Till() }, mock: { _ in Till() })
    }
}

struct Till: PaymentService {
    func payments() -> [Payment] { [Payment(id: 1, cents: 250), Payment(id: 2, cents: 100)] }
}
