// A view model that resolves anything but models, use cases, repositories, contributions, the navigator and
// the session.
// error: value of type 'ViewModelContext' has no member 'service'
// error: value of type 'ViewModelContext' has no member 'viewModel'
// error: value of type 'ViewModelContext' has no member 'destination'
// error: value of type 'ViewModelContext' has no member 'database'
// error: value of type 'ViewModelContext' has no member 'configuration'
// error: value of type 'ViewModelContext' has no member 'clock'
// error: value of type 'ViewModelContext' has no member 'logger'
// error: value of type 'ViewModelContext' has no member 'analytics'
// error: value of type 'ViewModelContext' has no member 'environment'
import AtriumKit

protocol PriceService: Sendable {}
@MainActor final class PriceViewModel: ViewModel {}

@MainActor func make(_ context: borrowing ViewModelContext) throws -> PriceViewModel {
    _ = try context.service((any PriceService).self)
    _ = try context.viewModel() as PriceViewModel
    _ = context.destination
    _ = context.database
    _ = context.configuration
    _ = context.clock
    _ = context.logger
    _ = context.analytics
    _ = context.environment
    return PriceViewModel()
}

@MainActor func register(in registry: ModuleRegistry) {
    registry.viewModel(PriceViewModel.self, make)
}
