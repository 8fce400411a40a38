// A service that resolves anything but infrastructure.
// error: value of type 'ServiceContext' has no member 'service'
// error: value of type 'ServiceContext' has no member 'repository'
// error: value of type 'ServiceContext' has no member 'useCase'
// error: value of type 'ServiceContext' has no member 'aggregateModel'
// error: value of type 'ServiceContext' has no member 'viewModel'
// error: value of type 'ServiceContext' has no member 'contributions'
// error: value of type 'ServiceContext' has no member 'session'
// error: value of type 'ServiceContext' has no member 'navigator'
// error: value of type 'ServiceContext' has no member 'destination'
// error: value of type 'ServiceContext' has no member 'analytics'
// error: value of type 'ServiceContext' has no member 'environment'
import AtriumKit

protocol PriceService: Sendable {}
struct MockPriceService: PriceService {}
final class PriceRepository {}
struct FindPrices {}
final class Basket {}
@MainActor final class PriceViewModel: ViewModel {}
extension ContributionPoint where Element == Int { static let discounts = ContributionPoint("discounts") }

@MainActor func make(_ context: borrowing ServiceContext) throws -> any PriceService {
    _ = try context.service((any PriceService).self)
    _ = try context.repository(PriceRepository.self)
    _ = try context.useCase(FindPrices.self)
    _ = try context.aggregateModel(Basket.self)
    _ = try context.viewModel() as PriceViewModel
    _ = try context.contributions(to: ContributionPoint.discounts)
    _ = context.session
    _ = context.navigator
    _ = context.destination
    _ = context.analytics
    _ = context.environment
    return MockPriceService()
}

@MainActor func register(in registry: ModuleRegistry) {
    registry.service((any PriceService).self, live: .unavailable, local: make, mock: make)
}
