import AtriumKit

/// Sells what another module offers, to users whom Session has signed in.
final class ShopModule: FeatureModule {
    static let migrations = Migration.records(Order.self, Wallet.self)

    func register(in registry: ModuleRegistry) {
        registry.records(Order.self, live: .unavailable, local: .table, mock: .samples([])) {
            $0.omitted = Set(RecordScreen.allCases)
        }
        registry.records(Wallet.self, live: .unavailable, local: .table, mock: .samples(Wallet.samples)) {
            $0.omitted = Set(RecordScreen.allCases)
        }
        registry.service(
            (any LimitService).self, live: .unavailable,
            local: { ConfiguredLimit(configuration: $0.configuration) },
            mock: {
                MockLimitService(
                    source: ConfiguredLimit(configuration: $0.configuration),
                    behavior: $0.mock((any LimitService).self))
            })
        registry.repository(OrderRepository.self) {
            OrderRepository(orders: try $0.service(), session: $0.session, clock: $0.clock)
        }
        registry.repository((any WalletRepository).self) {
            AccountWalletRepository(
                wallets: try $0.service(), limits: try $0.service(), session: $0.session, clock: $0.clock)
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
