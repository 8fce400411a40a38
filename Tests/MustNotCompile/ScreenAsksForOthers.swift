// A screen that resolves anything but view models and its destination.
// error: value of type 'ScreenContext<PriceList>' has no member 'service'
// error: value of type 'ScreenContext<PriceList>' has no member 'repository'
// error: value of type 'ScreenContext<PriceList>' has no member 'useCase'
// error: value of type 'ScreenContext<PriceList>' has no member 'aggregateModel'
// error: value of type 'ScreenContext<PriceList>' has no member 'contributions'
// error: value of type 'ScreenContext<PriceList>' has no member 'session'
// error: value of type 'ScreenContext<PriceList>' has no member 'navigator'
// error: value of type 'ScreenContext<PriceList>' has no member 'database'
// error: value of type 'ScreenContext<PriceList>' has no member 'configuration'
// error: value of type 'ScreenContext<PriceList>' has no member 'clock'
// error: value of type 'ScreenContext<PriceList>' has no member 'logger'
// error: value of type 'ScreenContext<PriceList>' has no member 'analytics'
// error: value of type 'ScreenContext<PriceList>' has no member 'environment'
import AtriumKit

protocol PriceService: Sendable {}
final class PriceRepository {}
struct FindPrices {}
final class Basket {}
struct PriceList: Destination { static let pattern: LinkPattern = "prices" }
struct PriceView: View { var body: Content { Title("Prices") } }
extension ContributionPoint where Element == Int { static let discounts = ContributionPoint("discounts") }

@MainActor func make(_ context: borrowing ScreenContext<PriceList>) throws -> PriceView {
    _ = try context.service((any PriceService).self)
    _ = try context.repository(PriceRepository.self)
    _ = try context.useCase(FindPrices.self)
    _ = try context.aggregateModel(Basket.self)
    _ = try context.contributions(to: ContributionPoint.discounts)
    _ = context.session
    _ = context.navigator
    _ = context.database
    _ = context.configuration
    _ = context.clock
    _ = context.logger
    _ = context.analytics
    _ = context.environment
    return PriceView()
}

@MainActor func register(in registry: ModuleRegistry) {
    registry.screen(PriceList.self, make)
}
