// A screen that is not a view.
// error: instance method 'screen' requires that 'PriceView' conform to 'View'
import AtriumKit

struct PriceList: Destination { static let pattern: LinkPattern = "prices" }
struct PriceView { @ContentBuilder var body: Content { Title("Prices") } }

@MainActor func register(in registry: ModuleRegistry) {
    registry.screen(PriceList.self) { _ in PriceView() }
}
