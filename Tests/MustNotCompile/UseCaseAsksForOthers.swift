// A use case that resolves anything but repositories, use cases and contributions.
// error: value of type 'UseCaseContext' has no member 'service'
// error: value of type 'UseCaseContext' has no member 'aggregateModel'
// error: value of type 'UseCaseContext' has no member 'viewModel'
// error: value of type 'UseCaseContext' has no member 'session'
// error: value of type 'UseCaseContext' has no member 'navigator'
// error: value of type 'UseCaseContext' has no member 'destination'
// error: value of type 'UseCaseContext' has no member 'database'
// error: value of type 'UseCaseContext' has no member 'configuration'
// error: value of type 'UseCaseContext' has no member 'clock'
// error: value of type 'UseCaseContext' has no member 'logger'
// error: value of type 'UseCaseContext' has no member 'analytics'
// error: value of type 'UseCaseContext' has no member 'environment'
import AtriumKit

protocol PriceService: Sendable {}
final class PriceRepository {}
struct FindPrices {}
final class Basket {}
@MainActor final class PriceViewModel: ViewModel {}

@MainActor func make(_ context: borrowing UseCaseContext) throws -> FindPrices {
    _ = try context.service((any PriceService).self)
    _ = try context.aggregateModel(Basket.self)
    _ = try context.viewModel() as PriceViewModel
    _ = context.session
    _ = context.navigator
    _ = context.destination
    _ = context.database
    _ = context.configuration
    _ = context.clock
    _ = context.logger
    _ = context.analytics
    _ = context.environment
    return FindPrices()
}

@MainActor func register(in registry: ModuleRegistry) {
    registry.useCase(FindPrices.self, make)
}
