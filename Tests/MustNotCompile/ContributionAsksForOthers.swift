// A contribution that resolves anything but repositories, use cases, the session and the logger.
// error: value of type 'ContributionContext' has no member 'service'
// error: value of type 'ContributionContext' has no member 'aggregateModel'
// error: value of type 'ContributionContext' has no member 'viewModel'
// error: value of type 'ContributionContext' has no member 'contributions'
// error: value of type 'ContributionContext' has no member 'navigator'
// error: value of type 'ContributionContext' has no member 'destination'
// error: value of type 'ContributionContext' has no member 'database'
// error: value of type 'ContributionContext' has no member 'configuration'
// error: value of type 'ContributionContext' has no member 'clock'
// error: value of type 'ContributionContext' has no member 'analytics'
// error: value of type 'ContributionContext' has no member 'environment'
import AtriumKit

protocol PriceService: Sendable {}
final class Basket {}
@MainActor final class PriceViewModel: ViewModel {}
extension ContributionPoint where Element == Int { static let discounts = ContributionPoint("discounts") }

@MainActor func make(_ context: borrowing ContributionContext) throws -> Int {
    _ = try context.service((any PriceService).self)
    _ = try context.aggregateModel(Basket.self)
    _ = try context.viewModel() as PriceViewModel
    _ = try context.contributions(to: ContributionPoint.discounts)
    _ = context.navigator
    _ = context.destination
    _ = context.database
    _ = context.configuration
    _ = context.clock
    _ = context.analytics
    _ = context.environment
    return 10
}

@MainActor func register(in registry: ModuleRegistry) {
    registry.contribute(to: .discounts, make)
}
