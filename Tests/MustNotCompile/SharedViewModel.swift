// A view model and a screen that are registered as shared.
// error: type '@MainActor @Sendable (borrowing ViewModelContext) throws -> PriceViewModel' has no member
// error: cannot convert value of type 'Lifetime' to expected argument type
import AtriumKit

@MainActor final class PriceViewModel: ViewModel {}
struct PriceList: Destination { static let pattern: LinkPattern = "prices" }
struct PriceView: View { var body: Content { Title("Prices") } }

@MainActor func viewModel(in registry: ModuleRegistry) {
    registry.viewModel(PriceViewModel.self, lifetime: .shared) { _ in PriceViewModel() }
}

@MainActor func screen(in registry: ModuleRegistry) {
    registry.screen(PriceList.self, lifetime: Lifetime.shared) { _ in PriceView() }
}
