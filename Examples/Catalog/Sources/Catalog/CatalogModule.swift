import AtriumKit

/// Lists products and their prices, and offers them to other modules.
final class CatalogModule: FeatureModule {
    static let migrations = Migration.records(Product.self)

    func register(in registry: ModuleRegistry) {
        registry.records(
            Product.self, live: .resource("v1/products"), local: .table, mock: .samples(Product.samples)
        ) {
            $0.rules = { _ in .products }
            $0.omitted = [.list, .new, .values]
        }
        registry.useCase((any FindProducts).self) { FindProductsInCatalog(products: try $0.repository()) }
        registry.viewModel(CatalogViewModel.self) { (context, destination: CatalogDestination) in
            CatalogViewModel(destination, find: try context.useCase(), products: try context.repository())
        }
        registry.viewModel(CatalogPresentation.self) { _ in CatalogPresentation() }
        registry.screen(CatalogDestination.self) {
            CatalogView(viewModel: try $0.viewModel($0.destination), presentation: try $0.viewModel())
        }
        registry.contribute(to: .offers) { context in
            let find = try context.useCase((any FindProducts).self)
            return {
                try await find(search: nil, filters: [:])
                    .map { ($0.id, $0.name, $0.price, $0.availability == .available) }
            }
        }
    }
}

/// A product as other modules know it: of types that all modules have.
typealias Offer = (id: Int, name: String, price: Money, isAvailable: Bool)

extension ContributionPoint where Element == @MainActor () async throws -> [Offer] {
    /// What can be bought; another module declares the point in the same way.
    static var offers: Self { Self("offers") }
}
