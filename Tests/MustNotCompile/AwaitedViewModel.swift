// Asynchronous factories of a view model, a screen and a contribution.
// error: cannot pass function of type '@Sendable (borrowing ViewModelContext) async
// error: cannot pass function of type '@Sendable (borrowing ScreenContext<PriceList>) async
// error: cannot pass function of type '@Sendable (borrowing ContributionContext) async
import AtriumKit

@MainActor final class PriceViewModel: ViewModel {}
struct PriceList: Destination { static let pattern: LinkPattern = "prices" }
struct PriceView: View { var body: Content { Title("Prices") } }
extension ContributionPoint where Element == Int { static let discounts = ContributionPoint("discounts") }

func pause() async {}
func proceed() {}

@MainActor func viewModel(in registry: ModuleRegistry) {
    registry.viewModel(PriceViewModel.self) { _ in
        await pause()
        return PriceViewModel()
    }
}

@MainActor func screen(in registry: ModuleRegistry) {
    registry.screen(PriceList.self) { _ in
        await pause()
        return PriceView()
    }
}

@MainActor func contribution(in registry: ModuleRegistry) {
    registry.contribute(to: .discounts) { _ in
        await pause()
        return 10
    }
}
