import AtriumKit
import Payments

/// One of several modules that provide payments, each with a name.
final class CardsModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PaymentService).self, named: "cards", live: { _ in Cards() }, local: { _ in Cards() },
            mock: { _ in Cards() })
    }
}

struct Cards: PaymentService {
    func payments() -> [Payment] { [Payment(id: 2, cents: 900), Payment(id: 3, cents: 100)] }
}
