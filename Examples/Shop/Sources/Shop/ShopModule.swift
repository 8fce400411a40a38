import AtriumKit

/// Sells what Catalog offers, to users whom Session has signed in.
final class ShopModule: FeatureModule {
    static let migrations = Migration.records(Order.self, Wallet.self)

    func register(in registry: ModuleRegistry) {
        registry.records(
            Order.self, live: .unavailable, local: .table, mock: .samples([], edge: Order.edges)
        ) { $0.omitted = Set(RecordScreen.allCases) }
        registry.records(
            Wallet.self, live: .unavailable, local: .table, mock: .samples(Wallet.samples, edge: Wallet.edges)
        ) { $0.omitted = Set(RecordScreen.allCases) }
        registry.repository(OrderRepository.self) {
            OrderRepository(orders: try $0.service(), session: $0.session, clock: $0.clock)
        }
        registry.repository(WalletRepository.self) {
            WalletRepository(wallets: try $0.service(), session: $0.session, clock: $0.clock)
        }
        registry.useCase(BrowseOffers.self) {
            guard let offers = try $0.contributions(to: .offers).first(where: { $0.module == "Catalog" })
            else { throw ServiceError("noOffers", "Catalog offers nothing.", hint: "module update Catalog") }
            return BrowseOffers(all: offers.value)
        }
        registry.useCase(PurchaseProduct.self) {
            PurchaseProduct(
                browse: try $0.useCase(), wallets: try $0.repository(), orders: try $0.repository())
        }
        registry.viewModel(ShopViewModel.self) { ShopViewModel(browse: try $0.useCase()) }
        registry.viewModel(ProductViewModel.self) { (context, id: Int) in
            ProductViewModel(id: id, browse: try context.useCase(), purchase: try context.useCase())
        }
        registry.viewModel(AccountViewModel.self) {
            AccountViewModel(try $0.repository(), try $0.repository())
        }
        registry.screen(ShopDestination.self) { ShopView(viewModel: try $0.viewModel()) }
        registry.screen(ProductDetail.self) { ProductView(viewModel: try $0.viewModel($0.destination.id)) }
        registry.screen(AccountDestination.self) { AccountView(viewModel: try $0.viewModel()) }
        registry.story("shop", ShopDestination())
        registry.story("shop failed", ShopDestination()) { $0.scenario = .error }
        registry.story("in stock", ProductDetail(id: 2))
        registry.story("sold out", ProductDetail(id: 3))
        registry.story("account", AccountDestination()) {
            $0.signIn(id: "mock-ada", email: "ada@example.com")
        }
    }
}
