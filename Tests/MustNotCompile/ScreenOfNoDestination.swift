// A screen of a type that is not a destination.
// error: instance method 'screen' requires that 'PriceList' conform to 'Destination'
import AtriumKit

struct PriceList: Hashable { static let pattern: LinkPattern = "prices" }
struct PriceView: View { var body: Content { Title("Prices") } }

@MainActor func register(in registry: ModuleRegistry) {
    registry.screen(PriceList.self) { _ in PriceView() }
}
