// A screen that resolves a type that is not a view model as one.
// error: instance method 'viewModel()' requires that 'PriceViewModel' conform to 'ViewModel'
import AtriumKit

@MainActor final class PriceViewModel {}
struct PriceList: Destination { static let pattern: LinkPattern = "prices" }
struct PriceView: View {
    let viewModel: PriceViewModel
    var body: Content { Title("Prices") }
}

@MainActor func register(in registry: ModuleRegistry) {
    registry.screen(PriceList.self) { PriceView(viewModel: try $0.viewModel()) }
}
