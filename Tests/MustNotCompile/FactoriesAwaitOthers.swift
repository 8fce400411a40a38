// What a factory may not reach, awaited.
// error: value of type 'RepositoryContext' has no member 'repository'
// error: value of type 'RepositoryContext' has no member 'useCase'
// error: value of type 'RepositoryContext' has no member 'aggregateModel'
// error: value of type 'UseCaseContext' has no member 'service'
// error: value of type 'UseCaseContext' has no member 'useCase'
// error: value of type 'UseCaseContext' has no member 'aggregateModel'
// error: value of type 'AggregateModelContext' has no member 'service'
// error: value of type 'AggregateModelContext' has no member 'aggregateModel'
// error: value of type 'ContributionContext' has no member 'service'
// error: value of type 'ContributionContext' has no member 'aggregateModel'
import AtriumKit

protocol PriceService: Sendable {}
final class PriceRepository {}
struct FindPrices {}
final class Basket {}
struct PriceList: Destination { static let pattern: LinkPattern = "prices" }

@MainActor func repository(_ context: borrowing RepositoryContext) async throws {
    _ = try await context.repository(PriceRepository.self)
    _ = try await context.useCase(FindPrices.self)
    _ = try await context.aggregateModel(Basket.self)
}

@MainActor func useCase(_ context: borrowing UseCaseContext) async throws {
    _ = try await context.service((any PriceService).self)
    _ = try await context.useCase(FindPrices.self)
    _ = try await context.aggregateModel(Basket.self)
}

@MainActor func aggregateModel(_ context: borrowing AggregateModelContext) async throws {
    _ = try await context.service((any PriceService).self)
    _ = try await context.aggregateModel(Basket.self)
}

@MainActor func contribution(_ context: borrowing ContributionContext) async throws {
    _ = try await context.service((any PriceService).self)
    _ = try await context.aggregateModel(Basket.self)
}
