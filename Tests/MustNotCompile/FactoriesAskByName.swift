// Types that a factory may not resolve, requested by type.
// error: value of type 'ServiceContext' has no member 'service'
// error: value of type 'ServiceContext' has no member 'repository'
// error: value of type 'ServiceContext' has no member 'useCase'
// error: value of type 'ServiceContext' has no member 'aggregateModel'
// error: value of type 'RepositoryContext' has no member 'repository'
// error: value of type 'RepositoryContext' has no member 'useCase'
// error: value of type 'RepositoryContext' has no member 'aggregateModel'
// error: value of type 'UseCaseContext' has no member 'service'
// error: value of type 'UseCaseContext' has no member 'aggregateModel'
// error: value of type 'AggregateModelContext' has no member 'service'
// error: value of type 'AggregateModelContext' has no member 'aggregateModel'
// error: value of type 'ViewModelContext' has no member 'service'
// error: value of type 'ScreenContext<PriceList>' has no member 'service'
// error: value of type 'ScreenContext<PriceList>' has no member 'repository'
// error: value of type 'ScreenContext<PriceList>' has no member 'useCase'
// error: value of type 'ScreenContext<PriceList>' has no member 'aggregateModel'
// error: value of type 'ContributionContext' has no member 'service'
// error: value of type 'ContributionContext' has no member 'aggregateModel'
import AtriumKit

protocol PriceService: Sendable {}
final class PriceRepository {}
struct FindPrices {}
final class Basket {}
struct PriceList: Destination { static let pattern: LinkPattern = "prices" }

@MainActor func service(_ context: borrowing ServiceContext) throws {
    _ = try context.service((any PriceService).self, named: "euro")
    _ = try context.repository(PriceRepository.self, named: "euro")
    _ = try context.useCase(FindPrices.self, named: "euro")
    _ = try context.aggregateModel(Basket.self, named: "euro")
}

@MainActor func repository(_ context: borrowing RepositoryContext) throws {
    _ = try context.repository(PriceRepository.self, named: "euro")
    _ = try context.useCase(FindPrices.self, named: "euro")
    _ = try context.aggregateModel(Basket.self, named: "euro")
}

@MainActor func useCase(_ context: borrowing UseCaseContext) throws {
    _ = try context.service((any PriceService).self, named: "euro")
    _ = try context.aggregateModel(Basket.self, named: "euro")
}

@MainActor func aggregateModel(_ context: borrowing AggregateModelContext) throws {
    _ = try context.service((any PriceService).self, named: "euro")
    _ = try context.aggregateModel(Basket.self, named: "euro")
}

@MainActor func viewModel(_ context: borrowing ViewModelContext) throws {
    _ = try context.service((any PriceService).self, named: "euro")
}

@MainActor func screen(_ context: borrowing ScreenContext<PriceList>) throws {
    _ = try context.service((any PriceService).self, named: "euro")
    _ = try context.repository(PriceRepository.self, named: "euro")
    _ = try context.useCase(FindPrices.self, named: "euro")
    _ = try context.aggregateModel(Basket.self, named: "euro")
}

@MainActor func contribution(_ context: borrowing ContributionContext) throws {
    _ = try context.service((any PriceService).self, named: "euro")
    _ = try context.aggregateModel(Basket.self, named: "euro")
}
