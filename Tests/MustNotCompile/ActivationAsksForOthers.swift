// A module that resolves anything but repositories and the session while it is activated.
// error: value of type 'ActivationContext' has no member 'service'
// error: value of type 'ActivationContext' has no member 'useCase'
// error: value of type 'ActivationContext' has no member 'aggregateModel'
// error: value of type 'ActivationContext' has no member 'viewModel'
// error: value of type 'ActivationContext' has no member 'contributions'
// error: value of type 'ActivationContext' has no member 'navigator'
// error: value of type 'ActivationContext' has no member 'database'
// error: value of type 'ActivationContext' has no member 'analytics'
import AtriumKit

protocol PriceService: Sendable {}
final class PriceRepository {}
struct FindPrices {}
final class Basket {}
@MainActor final class PriceViewModel: ViewModel {}
extension ContributionPoint where Element == Int { static let discounts = ContributionPoint("discounts") }

final class PricesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}

    func activate(_ context: borrowing ActivationContext) async throws {
        _ = try context.service((any PriceService).self)
        _ = try context.useCase(FindPrices.self)
        _ = try context.aggregateModel(Basket.self)
        _ = try context.viewModel() as PriceViewModel
        _ = try context.contributions(to: ContributionPoint.discounts)
        _ = context.navigator
        _ = context.database
        _ = context.analytics
    }
}
