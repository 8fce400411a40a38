// A type that does not conform to ViewModel, registered as a view model.
// error: instance method 'viewModel' requires that 'PriceViewModel' conform to 'ViewModel'
import AtriumKit

@MainActor final class PriceViewModel {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.viewModel(PriceViewModel.self) { _ in PriceViewModel() }
}
