import AtriumKit
import Observation

/// Uses Rates, and traps without it.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.viewModel(PlaceViewModel.self) { context in
            let rate: (@MainActor () -> Int)? = try context.useCaseIfPresent(named: "rate")
            return PlaceViewModel(rate: rate!())
        }
        registry.screen(Start.self) { StartView(viewModel: try $0.viewModel()) }
    }
}

@Observable final class PlaceViewModel: ViewModel {
    let rate: Int

    init(rate: Int) {
        self.rate = rate
    }
}

struct Start: Destination {
    static let pattern: LinkPattern = "traps-in-absence"
}

struct StartView: View {
    let viewModel: PlaceViewModel

    var body: Content { Field("rate", viewModel.rate) }
}
