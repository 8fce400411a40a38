// Factories with arguments for shared values: with a lifetime, a factory takes only its context.
// error: contextual closure type '@MainActor @Sendable (borrowing UseCaseContext) throws -> FindPrices'
// error: contextual closure type '@MainActor @Sendable (borrowing AggregateModelContext) throws -> Basket'
import AtriumKit

struct FindPrices { let limit: Int }
final class Basket { init(limit: Int) {} }

@MainActor func useCase(in registry: ModuleRegistry) {
    registry.useCase(FindPrices.self, lifetime: .shared) { (_, limit: Int) in FindPrices(limit: limit) }
}

@MainActor func aggregateModel(in registry: ModuleRegistry) {
    registry.aggregateModel(Basket.self, lifetime: .shared) { (_, limit: Int) in Basket(limit: limit) }
}
