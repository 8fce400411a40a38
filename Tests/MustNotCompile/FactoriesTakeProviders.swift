// What a factory may not reach, asked for as a provider, to be had later.
// error: value of type 'ServiceContext' has no member 'serviceProvider'
// error: value of type 'ServiceContext' has no member 'repositoryProvider'
// error: value of type 'ServiceContext' has no member 'useCaseProvider'
// error: value of type 'ServiceContext' has no member 'aggregateModelProvider'
// error: value of type 'RepositoryContext' has no member 'repositoryProvider'
// error: value of type 'RepositoryContext' has no member 'useCaseProvider'
// error: value of type 'RepositoryContext' has no member 'aggregateModelProvider'
// error: value of type 'UseCaseContext' has no member 'serviceProvider'
// error: value of type 'UseCaseContext' has no member 'useCaseProvider'
// error: value of type 'UseCaseContext' has no member 'aggregateModelProvider'
// error: value of type 'AggregateModelContext' has no member 'serviceProvider'
// error: value of type 'AggregateModelContext' has no member 'aggregateModelProvider'
// error: value of type 'ViewModelContext' has no member 'serviceProvider'
// error: value of type 'ScreenContext<PriceList>' has no member 'serviceProvider'
// error: value of type 'ScreenContext<PriceList>' has no member 'repositoryProvider'
// error: value of type 'ScreenContext<PriceList>' has no member 'useCaseProvider'
// error: value of type 'ScreenContext<PriceList>' has no member 'aggregateModelProvider'
// error: value of type 'ContributionContext' has no member 'serviceProvider'
// error: value of type 'ContributionContext' has no member 'aggregateModelProvider'
import AtriumKit

protocol PriceService: Sendable {}
final class PriceRepository {}
struct FindPrices {}
final class Basket {}
struct PriceList: Destination { static let pattern: LinkPattern = "prices" }

@MainActor func service(_ context: borrowing ServiceContext) throws {
    _ = context.serviceProvider((any PriceService).self)
    _ = context.repositoryProvider(PriceRepository.self)
    _ = context.useCaseProvider(FindPrices.self)
    _ = context.aggregateModelProvider(Basket.self)
}

@MainActor func repository(_ context: borrowing RepositoryContext) throws {
    _ = context.repositoryProvider(PriceRepository.self)
    _ = context.useCaseProvider(FindPrices.self)
    _ = context.aggregateModelProvider(Basket.self)
}

@MainActor func useCase(_ context: borrowing UseCaseContext) throws {
    _ = context.serviceProvider((any PriceService).self)
    _ = context.useCaseProvider(FindPrices.self)
    _ = context.aggregateModelProvider(Basket.self)
}

@MainActor func aggregateModel(_ context: borrowing AggregateModelContext) throws {
    _ = context.serviceProvider((any PriceService).self)
    _ = context.aggregateModelProvider(Basket.self)
}

@MainActor func viewModel(_ context: borrowing ViewModelContext) throws {
    _ = context.serviceProvider((any PriceService).self)
}

@MainActor func screen(_ context: borrowing ScreenContext<PriceList>) throws {
    _ = context.serviceProvider((any PriceService).self)
    _ = context.repositoryProvider(PriceRepository.self)
    _ = context.useCaseProvider(FindPrices.self)
    _ = context.aggregateModelProvider(Basket.self)
}

@MainActor func contribution(_ context: borrowing ContributionContext) throws {
    _ = context.serviceProvider((any PriceService).self)
    _ = context.aggregateModelProvider(Basket.self)
}
