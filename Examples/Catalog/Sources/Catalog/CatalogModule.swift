import AtriumKit

/// Shows a list of products.
final class CatalogModule: FeatureModule {
    static let migrations = [
        Migration(
            1, "create products",
            sql: "CREATE TABLE products (name TEXT PRIMARY KEY, cents INTEGER NOT NULL) STRICT")
    ]

    func register(in registry: ModuleRegistry) {
        registry.service(
            (any ProductService).self,
            live: .unavailable, local: { LocalProductService(database: $0.database) },
            mock: { _ in MockProductService() })
        registry.repository(ProductRepository.self) { ProductRepository(products: try $0.service()) }
        registry.viewModel(CatalogViewModel.self) { CatalogViewModel(repository: try $0.repository()) }
        registry.screen(CatalogDestination.self) { CatalogView(viewModel: try $0.viewModel()) }
    }
}
