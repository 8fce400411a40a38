// Types that a factory may not resolve, requested with arguments.
// error: value of type 'ServiceContext' has no member 'useCase'
// error: value of type 'ServiceContext' has no member 'aggregateModel'
// error: value of type 'RepositoryContext' has no member 'useCase'
// error: value of type 'RepositoryContext' has no member 'aggregateModel'
// error: value of type 'UseCaseContext' has no member 'aggregateModel'
// error: value of type 'AggregateModelContext' has no member 'aggregateModel'
// error: value of type 'ScreenContext<PriceList>' has no member 'useCase'
// error: value of type 'ScreenContext<PriceList>' has no member 'aggregateModel'
// error: value of type 'ContributionContext' has no member 'aggregateModel'
import AtriumKit

final class PriceRepository {}
struct FindPrices {}
final class Basket {}
struct PriceList: Destination { static let pattern: LinkPattern = "prices" }

@MainActor func service(_ context: borrowing ServiceContext) throws {
    _ = try context.useCase(FindPrices.self, 7)
    _ = try context.aggregateModel(Basket.self, 7)
}

@MainActor func repository(_ context: borrowing RepositoryContext) throws {
    _ = try context.useCase(FindPrices.self, 7)
    _ = try context.aggregateModel(Basket.self, 7)
}

@MainActor func useCase(_ context: borrowing UseCaseContext) throws {
    _ = try context.aggregateModel(Basket.self, 7)
}

@MainActor func aggregateModel(_ context: borrowing AggregateModelContext) throws {
    _ = try context.aggregateModel(Basket.self, 7)
}

@MainActor func screen(_ context: borrowing ScreenContext<PriceList>) throws {
    _ = try context.useCase(FindPrices.self, 7)
    _ = try context.aggregateModel(Basket.self, 7)
}

@MainActor func contribution(_ context: borrowing ContributionContext) throws {
    _ = try context.aggregateModel(Basket.self, 7)
}
