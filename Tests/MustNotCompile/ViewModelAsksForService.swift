// A view model that resolves a service.
// error: value of type 'ViewModelContext' has no member 'service'
import AtriumKit

protocol PriceService: Sendable {}
@MainActor final class PriceViewModel: ViewModel {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.viewModel(PriceViewModel.self) { context in
        let prices: any PriceService = try context.service()
        _ = prices
        return PriceViewModel()
    }
}
