import AtriumKit

/// Sells what another module offers, to users whom Session has signed in.
final class ShopModule: FeatureModule {
    static let migrations = Migration.records(Order.self, and: [LocalWalletService.migration])

    func register(in registry: ModuleRegistry) {
        registry.records(
            Order.self, live: .unavailable, local: .table, mock: .samples([], edge: Order.edges)
        ) {
            $0.omitted = Set(RecordScreen.allCases)
        }
        registry.service(
            (any WalletService).self, live: .unavailable,
            local: { LocalWalletService(database: $0.database, limit: $0.configuration.limit) },
            mock: {
                MockWalletService(
                    behavior: $0.mock((any WalletService).self), limit: $0.configuration.limit)
            })
        registry.repository(OrderRepository.self) {
            OrderRepository(orders: try $0.service(), session: $0.session, clock: $0.clock)
        }
        registry.repository((any WalletRepository).self) {
            AccountWalletRepository(wallets: try $0.service(), session: $0.session, clock: $0.clock)
        }
        registry.useCase(BrowseOffers.self) { try BrowseOffers($0.contributions(to: .offers)) }
        registry.useCase((any PurchaseProduct).self) {
            PurchaseWithCard(
                browse: try BrowseOffers($0.contributions(to: .offers)), wallets: try $0.repository(),
                orders: try $0.repository())
        }
        registry.viewModel(ShopViewModel.self) {
            ShopViewModel(browse: try $0.useCase(), navigator: $0.navigator)
        }
        registry.viewModel(ProductViewModel.self) { (context, id: Int) in
            ProductViewModel(id: id, browse: try context.useCase(), purchase: try context.useCase())
        }
        registry.viewModel(OrdersViewModel.self) { OrdersViewModel(repository: try $0.repository()) }
        registry.viewModel(WalletViewModel.self) { WalletViewModel(wallets: try $0.repository()) }
        registry.screen(ShopDestination.self) { ShopView(viewModel: try $0.viewModel()) }
        registry.screen(ProductDetail.self) { ProductView(viewModel: try $0.viewModel($0.destination.id)) }
        registry.screen(OrdersDestination.self) { OrdersView(viewModel: try $0.viewModel()) }
        registry.screen(PaymentDestination.self) { PaymentView(viewModel: try $0.viewModel()) }
        registry.screen(SettingsDestination.self) { SettingsView(viewModel: try $0.viewModel()) }
    }
}

extension Configuration {
    /// What a purchase may cost unless the user sets a limit, in euros.
    fileprivate var limit: Int { int("limit") ?? 500 }
}
