// Factories that take the context of another layer.
// error: cannot convert value of type '@MainActor @Sendable (borrowing RepositoryContext) -> MockPriceService
// error: cannot convert value of type '@MainActor @Sendable (borrowing ServiceContext) -> PriceRepository
// error: cannot convert value of type '@MainActor @Sendable (borrowing RepositoryContext) -> FindPrices
// error: cannot convert value of type '@MainActor @Sendable (borrowing ViewModelContext) -> Basket
// error: cannot convert value of type '@MainActor @Sendable (borrowing RepositoryContext) -> PriceViewModel
// error: cannot convert value of type '@MainActor @Sendable (borrowing ViewModelContext) -> PriceView
// error: cannot convert value of type '@MainActor @Sendable (borrowing UseCaseContext) -> Discount
import AtriumKit

struct MockPriceService: Sendable {}
final class PriceRepository {}
struct FindPrices {}
final class Basket {}
@MainActor final class PriceViewModel: ViewModel {}
struct PriceList: Destination { static let pattern: LinkPattern = "prices" }
struct PriceView: View { var body: Content { Title("Prices") } }
struct Discount {}
extension ContributionPoint where Element == Discount {
    static let discounts = ContributionPoint("discounts")
}

@MainActor func service(in registry: ModuleRegistry) {
    func make(_ context: borrowing ServiceContext) -> MockPriceService { MockPriceService() }
    func other(_ context: borrowing RepositoryContext) -> MockPriceService { MockPriceService() }
    _ = other
    registry.service(MockPriceService.self, live: .unavailable, local: other, mock: make)
}

@MainActor func repository(in registry: ModuleRegistry) {
    func make(_ context: borrowing RepositoryContext) -> PriceRepository { PriceRepository() }
    func other(_ context: borrowing ServiceContext) -> PriceRepository { PriceRepository() }
    _ = other
    registry.repository(PriceRepository.self, other)
}

@MainActor func useCase(in registry: ModuleRegistry) {
    func make(_ context: borrowing UseCaseContext) -> FindPrices { FindPrices() }
    func other(_ context: borrowing RepositoryContext) -> FindPrices { FindPrices() }
    _ = other
    registry.useCase(FindPrices.self, other)
}

@MainActor func aggregateModel(in registry: ModuleRegistry) {
    func make(_ context: borrowing AggregateModelContext) -> Basket { Basket() }
    func other(_ context: borrowing ViewModelContext) -> Basket { Basket() }
    _ = other
    registry.aggregateModel(Basket.self, other)
}

@MainActor func viewModel(in registry: ModuleRegistry) {
    func make(_ context: borrowing ViewModelContext) -> PriceViewModel { PriceViewModel() }
    func other(_ context: borrowing RepositoryContext) -> PriceViewModel { PriceViewModel() }
    _ = other
    registry.viewModel(PriceViewModel.self, other)
}

@MainActor func screen(in registry: ModuleRegistry) {
    func make(_ context: borrowing ScreenContext<PriceList>) -> PriceView { PriceView() }
    func other(_ context: borrowing ViewModelContext) -> PriceView { PriceView() }
    _ = other
    registry.screen(PriceList.self, other)
}

@MainActor func contribution(in registry: ModuleRegistry) {
    func make(_ context: borrowing ContributionContext) -> Discount { Discount() }
    func other(_ context: borrowing UseCaseContext) -> Discount { Discount() }
    _ = other
    registry.contribute(to: .discounts, other)
}
