import AtriumKit

/// Shows a list of products.
final class CatalogModule: FeatureModule {
    static let migrations = LocalProductService.migrations

    func register(in registry: ModuleRegistry) {
        registry.service(
            (any ProductService).self,
            live: { CachedProductService(LiveProductService(api: $0.api), clock: $0.clock) },
            local: { LocalProductService(database: $0.database) },
            mock: { MockProductService(behavior: $0.mock((any ProductService).self)) })
        registry.repository(ProductRepository.self) {
            ProductRepository(
                products: try $0.service(), changes: $0.changes(LocalProductService.topic))
        }
        registry.useCase((any FindProducts).self) { FindProductsInCatalog(products: try $0.repository()) }
        registry.viewModel(CatalogViewModel.self) { (context, destination: CatalogDestination) in
            CatalogViewModel(destination, find: try context.useCase(), repository: try context.repository())
        }
        registry.viewModel(CatalogPresentation.self) { _ in CatalogPresentation() }
        registry.screen(CatalogDestination.self) {
            CatalogView(viewModel: try $0.viewModel($0.destination), presentation: try $0.viewModel())
        }
        registry.contribute(to: .offers) { context in
            let products = try context.repository(ProductRepository.self)
            return { try await products.all().map(\.offer) }
        }
    }
}

/// A product as other modules know it: of types that all modules have.
typealias Offer = (id: Int, name: String, cents: Int, isAvailable: Bool)

extension ContributionPoint where Element == @MainActor () async throws -> [Offer] {
    /// What can be bought; another module declares the point in the same way.
    static var offers: Self { Self("offers") }
}

extension Product {
    fileprivate var offer: Offer { (id, name, price.cents, availability == .available) }
}
