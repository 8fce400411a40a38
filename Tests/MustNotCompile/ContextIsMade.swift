// Contexts created by a module.
// error: 'ServiceContext' initializer is inaccessible due to 'internal' protection level
// error: 'RepositoryContext' initializer is inaccessible due to 'internal' protection level
// error: 'UseCaseContext' initializer is inaccessible due to 'internal' protection level
// error: 'AggregateModelContext' initializer is inaccessible due to 'internal' protection level
// error: 'ViewModelContext' initializer is inaccessible due to 'internal' protection level
// error: 'ContributionContext' initializer is inaccessible due to 'internal' protection level
// error: 'ScreenContext<Shown>' initializer is inaccessible due to 'internal' protection level
// error: 'ActivationContext' initializer is inaccessible due to '@_spi' protection level
import AtriumKit

struct PriceList: Destination { static let pattern: LinkPattern = "prices" }

func conjured<Value: ~Copyable>() -> Value { fatalError() }

@MainActor func service(_ lent: borrowing ServiceContext) {
    let own = ServiceContext(conjured())
}

@MainActor func repository(_ lent: borrowing RepositoryContext) {
    let own = RepositoryContext(conjured())
}

@MainActor func useCase(_ lent: borrowing UseCaseContext) {
    let own = UseCaseContext(conjured())
}

@MainActor func aggregateModel(_ lent: borrowing AggregateModelContext) {
    let own = AggregateModelContext(conjured())
}

@MainActor func viewModel(_ lent: borrowing ViewModelContext) {
    let own = ViewModelContext(conjured())
}

@MainActor func contribution(_ lent: borrowing ContributionContext) {
    let own = ContributionContext(conjured())
}

@MainActor func screen(_ lent: borrowing ScreenContext<PriceList>) {
    let own = ScreenContext(conjured(), PriceList())
}

@MainActor func activation(_ lent: borrowing ActivationContext) {
    let own = ActivationContext(conjured(), for: conjured())
}
