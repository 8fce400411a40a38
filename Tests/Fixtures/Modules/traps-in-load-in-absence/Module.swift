import AtriumKit
import Observation

/// Uses Rates; without it, loading its screen traps.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.viewModel(PlaceViewModel.self) {
            PlaceViewModel(rate: try $0.useCaseIfPresent(named: "rate"))
        }
        registry.screen(Start.self) { StartView(viewModel: try $0.viewModel()) }
    }
}

@Observable final class PlaceViewModel: ViewModel {
    private let findRate: (@MainActor () -> Int)?
    private(set) var rate = 0

    init(rate: (@MainActor () -> Int)?) {
        findRate = rate
    }

    func load() {
        guard let findRate else { fatalError("There is no rate.") }
        rate = findRate()
    }
}

struct Start: Destination {
    static let pattern: LinkPattern = "traps-in-load-in-absence"
}

struct StartView: View {
    let viewModel: PlaceViewModel

    var body: Content { Field("rate", viewModel.rate) }

    func load() { viewModel.load() }
}
