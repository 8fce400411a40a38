import AtriumKit

// Follows every rule, with code similar to that of the other fixtures.
final class PricesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PriceService).self, live: { LivePriceService(api: $0.api) },
            local: { LocalPriceService(database: $0.database) }, mock: { _ in MockPriceService() })
        registry.service(
            (any StockService).self, live: .unavailable, local: { _ in MockStockService() },
            mock: { _ in MockStockService() })
        registry.repository(PriceRepository.self) {
            PriceRepository(prices: try $0.service(), stock: try $0.service(), analytics: $0.analytics)
        }
        registry.useCase(FindPrices.self) { FindPrices(repository: try $0.repository()) }
        registry.aggregateModel(PriceModel.self) { PriceModel(repository: try $0.repository()) }
        registry.viewModel(PriceViewModel.self) {
            PriceViewModel(repository: try $0.repository(), find: try $0.useCase())
        }
        registry.screen(PriceList.self) { PriceView(viewModel: try $0.viewModel()) }
    }
}
