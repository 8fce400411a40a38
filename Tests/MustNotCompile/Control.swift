// Follows every rule, with code similar to that of the other files.
import AtriumKit
import Observation

protocol PriceService: Sendable {}
struct LocalPriceService: PriceService { let database: any Database }
struct MockPriceService: PriceService {}

@MainActor final class PriceRepository {
    init(prices: any PriceService, session: SessionWriter) {}
}

@MainActor @Observable final class PriceViewModel: ViewModel {
    init(repository: PriceRepository, session: SessionState) {}
}

struct PriceList: Destination {
    static let pattern: LinkPattern = "prices"
}

struct PriceView: View {
    let viewModel: PriceViewModel
    var body: Content { Title("Prices") }
}

final class PricesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PriceService).self, live: .unavailable, local: { LocalPriceService(database: $0.database) },
            mock: { _ in MockPriceService() })
        registry.repository(PriceRepository.self) {
            PriceRepository(prices: try $0.service(), session: $0.session)
        }
        registry.viewModel(PriceViewModel.self) {
            PriceViewModel(repository: try $0.repository(), session: $0.session)
        }
        registry.screen(PriceList.self) { PriceView(viewModel: try $0.viewModel()) }
    }
}
