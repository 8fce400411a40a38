import AtriumKit
import Payments

/// One of several modules that provide payments, each with a name.
final class CashModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PaymentService).self, named: "cash", live: { _ in Cash() }, local: { _ in Cash() },
            mock: { _ in Cash() })
    }
}

struct Cash: PaymentService {
    func payments() -> [Payment] { [Payment(id: 1, cents: 250)] }
}
