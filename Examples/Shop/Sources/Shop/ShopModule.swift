import AtriumKit

/// Sells what another module offers, to whom Session has signed in.
final class ShopModule: FeatureModule {
    static let migrations = [LocalWalletService.migration, LocalOrderService.migration]

    func register(in registry: ModuleRegistry) {
        registerData(in: registry)
        registry.useCase((any BrowseOffers).self) {
            try BrowseCatalog($0.contributions(to: .offers))
        }
        registry.useCase((any PurchaseProduct).self) {
            PurchaseWithCard(
                offers: try BrowseCatalog($0.contributions(to: .offers)), wallets: try $0.repository(),
                orders: try $0.repository())
        }
        registerScreens(in: registry)
    }

    private func registerData(in registry: ModuleRegistry) {
        registry.service(
            (any WalletService).self, live: .unavailable,
            local: { LocalWalletService(database: $0.database, limit: try Self.limit($0.configuration)) },
            mock: {
                MockWalletService(
                    behavior: $0.mock((any WalletService).self), limit: try Self.limit($0.configuration))
            })
        registry.service(
            (any OrderService).self, live: .unavailable, local: { LocalOrderService(database: $0.database) },
            mock: { MockOrderService(behavior: $0.mock((any OrderService).self)) })
        registry.repository((any WalletRepository).self) {
            AccountWalletRepository(wallets: try $0.service(), session: $0.session, clock: $0.clock)
        }
        registry.repository(OrderRepository.self) {
            OrderRepository(orders: try $0.service(), session: $0.session, clock: $0.clock)
        }
    }

    private func registerScreens(in registry: ModuleRegistry) {
        registry.viewModel(ShopViewModel.self) {
            ShopViewModel(browse: try $0.useCase(), navigator: $0.navigator)
        }
        registry.viewModel(ProductViewModel.self) { (context, id: Int) in
            ProductViewModel(id: id, browse: try context.useCase(), purchase: try context.useCase())
        }
        registry.viewModel(OrdersViewModel.self) { OrdersViewModel(repository: try $0.repository()) }
        registry.viewModel(PaymentViewModel.self) { PaymentViewModel(wallets: try $0.repository()) }
        registry.viewModel(SettingsViewModel.self) { SettingsViewModel(wallets: try $0.repository()) }
        registry.screen(ShopDestination.self) { ShopView(viewModel: try $0.viewModel()) }
        registry.screen(ProductDetail.self) { ProductView(viewModel: try $0.viewModel($0.destination.id)) }
        registry.screen(OrdersDestination.self) { OrdersView(viewModel: try $0.viewModel()) }
        registry.screen(PaymentDestination.self) { PaymentView(viewModel: try $0.viewModel()) }
        registry.screen(SettingsDestination.self) { SettingsView(viewModel: try $0.viewModel()) }
    }

    /// The limit of modules.json, in euros.
    private static func limit(_ configuration: Configuration) throws -> Int {
        let limit = configuration.int("limit") ?? 500
        guard Wallet.limits.contains(limit) else {
            throw ServiceError(
                .validation, "Module 'Shop' can't have a limit of \(limit) euros.",
                hint: "Set \"limit\" to 1 to 10000 in modules.json.")
        }
        return limit
    }
}
