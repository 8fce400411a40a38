// A context's internals, accessed from a module.
// error: 'core' is inaccessible due to 'internal' protection level
// error: 'request' is inaccessible due to 'private' protection level
// error: value of type 'RepositoryContext' has no member 'container'
// error: value of type 'UseCaseContext' has no member 'infrastructure'
// error: value of type 'ViewModelContext' has no member 'entry'
// error: value of type 'ScreenContext<PriceList>' has no member 'requester'
import AtriumKit

struct PriceList: Destination { static let pattern: LinkPattern = "prices" }

@MainActor func service(_ context: borrowing ServiceContext) {
    _ = context.core
}

@MainActor func activation(_ context: borrowing ActivationContext) {
    _ = context.request
}

@MainActor func repository(_ context: borrowing RepositoryContext) {
    _ = context.container
}

@MainActor func useCase(_ context: borrowing UseCaseContext) {
    _ = context.infrastructure
}

@MainActor func viewModel(_ context: borrowing ViewModelContext) {
    _ = context.entry
}

@MainActor func screen(_ context: borrowing ScreenContext<PriceList>) {
    _ = context.requester
}
