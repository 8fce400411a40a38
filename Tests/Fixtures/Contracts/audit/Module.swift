import AtriumKit
import Ledger
import Payments

/// Provides what another contract declares.
final class AuditModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any LedgerService).self, live: { _ in Audit() }, local: { _ in Audit() }, mock: { _ in Audit() })
    }
}

struct Audit: LedgerService {
    func entries() -> [Payment] { [Payment(id: 1, cents: 250)] }
}
