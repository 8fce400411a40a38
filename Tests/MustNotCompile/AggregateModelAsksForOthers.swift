// An aggregate model that resolves anything but repositories, use cases, contributions and the session.
// error: value of type 'AggregateModelContext' has no member 'service'
// error: value of type 'AggregateModelContext' has no member 'aggregateModel'
// error: value of type 'AggregateModelContext' has no member 'viewModel'
// error: value of type 'AggregateModelContext' has no member 'navigator'
// error: value of type 'AggregateModelContext' has no member 'destination'
// error: value of type 'AggregateModelContext' has no member 'database'
// error: value of type 'AggregateModelContext' has no member 'configuration'
// error: value of type 'AggregateModelContext' has no member 'clock'
// error: value of type 'AggregateModelContext' has no member 'logger'
// error: value of type 'AggregateModelContext' has no member 'analytics'
// error: value of type 'AggregateModelContext' has no member 'environment'
import AtriumKit

protocol PriceService: Sendable {}
final class Basket {}
@MainActor final class PriceViewModel: ViewModel {}

@MainActor func make(_ context: borrowing AggregateModelContext) throws -> Basket {
    _ = try context.service((any PriceService).self)
    _ = try context.aggregateModel(Basket.self)
    _ = try context.viewModel() as PriceViewModel
    _ = context.navigator
    _ = context.destination
    _ = context.database
    _ = context.configuration
    _ = context.clock
    _ = context.logger
    _ = context.analytics
    _ = context.environment
    return Basket()
}

@MainActor func register(in registry: ModuleRegistry) {
    registry.aggregateModel(Basket.self, make)
}
