// A repository that resolves anything but services, the session, analytics, the logger and the clock.
// error: value of type 'RepositoryContext' has no member 'repository'
// error: value of type 'RepositoryContext' has no member 'useCase'
// error: value of type 'RepositoryContext' has no member 'aggregateModel'
// error: value of type 'RepositoryContext' has no member 'viewModel'
// error: value of type 'RepositoryContext' has no member 'contributions'
// error: value of type 'RepositoryContext' has no member 'navigator'
// error: value of type 'RepositoryContext' has no member 'destination'
// error: value of type 'RepositoryContext' has no member 'database'
// error: value of type 'RepositoryContext' has no member 'configuration'
// error: value of type 'RepositoryContext' has no member 'environment'
import AtriumKit

final class PriceRepository {}
struct FindPrices {}
final class Basket {}
@MainActor final class PriceViewModel: ViewModel {}
extension ContributionPoint where Element == Int { static let discounts = ContributionPoint("discounts") }

@MainActor func make(_ context: borrowing RepositoryContext) throws -> PriceRepository {
    _ = try context.repository(PriceRepository.self)
    _ = try context.useCase(FindPrices.self)
    _ = try context.aggregateModel(Basket.self)
    _ = try context.viewModel() as PriceViewModel
    _ = try context.contributions(to: ContributionPoint.discounts)
    _ = context.navigator
    _ = context.destination
    _ = context.database
    _ = context.configuration
    _ = context.environment
    return PriceRepository()
}

@MainActor func register(in registry: ModuleRegistry) {
    registry.repository(PriceRepository.self, make)
}
