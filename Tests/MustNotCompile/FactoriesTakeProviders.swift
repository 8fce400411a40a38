// Providers of repositories in factories of layers that can't resolve repositories.
// error: value of type 'ServiceContext' has no member 'repositoryProvider'
// error: value of type 'RepositoryContext' has no member 'repositoryProvider'
// error: value of type 'ScreenContext<PriceList>' has no member 'repositoryProvider'
import AtriumKit

final class PriceRepository {}
struct PriceList: Destination { static let pattern: LinkPattern = "prices" }

@MainActor func service(_ context: borrowing ServiceContext) throws {
    _ = context.repositoryProvider(PriceRepository.self)
}

@MainActor func repository(_ context: borrowing RepositoryContext) throws {
    _ = context.repositoryProvider(PriceRepository.self)
}

@MainActor func screen(_ context: borrowing ScreenContext<PriceList>) throws {
    _ = context.repositoryProvider(PriceRepository.self)
}
