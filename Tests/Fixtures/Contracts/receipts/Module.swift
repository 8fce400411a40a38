import AtriumKit
import Payments

/// Provides payments of the next major version, beside those of Till.
final class ReceiptsModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PaymentService).self, live: { _ in Receipts() }, local: { _ in Receipts() },
            mock: { _ in Receipts() })
        registry.screen(ReceiptsDestination.self) { _ in ReceiptsView() }
    }
}

struct Receipts: PaymentService {
    func payments(of payer: String) -> [Payment] { [Payment(payer: payer, cents: 250)] }
}

struct ReceiptsDestination: Destination {
    static let pattern: LinkPattern = "receipts"
}

struct ReceiptsView: View {
    var body: Content {
        Title("Receipts")
        Field("payments", Receipts().payments(of: "Ada").map { "\($0.payer): \($0.cents)" }.joined())
    }
}
