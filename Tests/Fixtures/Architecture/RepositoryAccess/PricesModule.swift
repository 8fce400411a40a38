import AtriumKit

// A type that is registered as a repository, or conforms to View, counts as one in any folder.
enum Books {
    struct Ledger {
        let prices: any PriceService
    }

    struct LedgerView: View {
        // error: [repository-access] a view refers to 'Ledger', which is a repository;
        //        let its view model ask, and show what that holds
        let ledger: Ledger

        var body: Content { Title("Ledger") }
    }
}

final class PricesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PriceService).self, live: .unavailable, local: { _ in MockPriceService() },
            mock: { _ in MockPriceService() })
        registry.repository(PriceRepository.self) { PriceRepository(prices: try $0.service()) }
        registry.repository(Books.Ledger.self) { Books.Ledger(prices: try $0.service()) }
        registry.screen(PriceList.self) { _ in PriceView(service: MockPriceService()) }
    }
}
