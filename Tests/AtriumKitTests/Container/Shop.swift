@_spi(Host) import AtriumKit

// A small application with all layers, for tests of the container.

protocol PriceService: Sendable {
    var name: String { get }
}

struct NamedPriceService: PriceService {
    let name: String
}

final class PriceRepository {
    let service: any PriceService

    init(service: any PriceService) {
        self.service = service
    }
}

final class DiscountRule {
    let prices: PriceRepository

    init(prices: PriceRepository) {
        self.prices = prices
    }
}

final class Basket {
    let rule: DiscountRule

    init(rule: DiscountRule) {
        self.rule = rule
    }
}

final class PriceViewModel: ViewModel {
    struct SavedState: Codable {
        var page: Int
    }

    let basket: Basket
    let navigator: any Navigator
    let category: String
    var page = 1

    init(basket: Basket, navigator: any Navigator, category: String) {
        self.basket = basket
        self.navigator = navigator
        self.category = category
    }

    var savedState: SavedState { SavedState(page: page) }

    func restore(_ state: SavedState) {
        page = state.page
    }
}

struct PriceView: View {
    let viewModel: PriceViewModel

    var body: Content { Title("Prices of \(viewModel.category)") }
}

struct PriceList: Destination {
    static let pattern: LinkPattern = "prices/:category"
    let category: String
}

/// A misspelling of ``PriceRepository``.
final class PriceRepositry {}

enum Warehouse {
    final class Ledger {}
}

enum Bank {
    final class Ledger {}
}

enum Shop {
    /// Registers all layers except the service.
    @MainActor
    static func registerUpperLayers(in registry: ModuleRegistry) {
        registerModels(in: registry)
        registry.viewModel(PriceViewModel.self) { (context: borrowing ViewModelContext, category: String) in
            PriceViewModel(
                basket: try context.aggregateModel(), navigator: context.navigator, category: category)
        }
        registry.screen(PriceList.self) { context in
            PriceView(viewModel: try context.viewModel(context.destination.category))
        }
    }

    @MainActor
    static func register(in registry: ModuleRegistry) {
        registerService(in: registry)
        registerUpperLayers(in: registry)
    }

    /// Registers all layers below the view model.
    @MainActor
    static func registerLowerLayers(in registry: ModuleRegistry) {
        registerService(in: registry)
        registerModels(in: registry)
    }

    @MainActor
    private static func registerService(in registry: ModuleRegistry) {
        registry.service(
            (any PriceService).self, live: .unavailable, local: { _ in NamedPriceService(name: "local") },
            mock: { _ in NamedPriceService(name: "mock") })
    }

    @MainActor
    private static func registerModels(in registry: ModuleRegistry) {
        registry.repository(PriceRepository.self) { PriceRepository(service: try $0.service()) }
        registry.useCase(DiscountRule.self) { DiscountRule(prices: try $0.repository()) }
        registry.aggregateModel(Basket.self) { Basket(rule: try $0.useCase()) }
    }
}
