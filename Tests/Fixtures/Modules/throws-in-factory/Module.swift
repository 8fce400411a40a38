import AtriumKit
import Observation

/// Throws in a factory, which runs when the container is verified.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.repository(Stock.self) { _ in throw FixtureError() }
        registry.screen(Start.self) { StartView(viewModel: try $0.viewModel()) }
        registry.viewModel(PlaceViewModel.self) { PlaceViewModel(stock: try $0.repository()) }
    }
}

final class Stock {}

@Observable final class PlaceViewModel: ViewModel {
    init(stock: Stock) {}
}

struct Start: Destination {
    static let pattern: LinkPattern = "throws-in-factory"
}

struct StartView: View {
    let viewModel: PlaceViewModel

    var body: Content { Title("Throws in a factory") }
}

struct FixtureError: ExplainedError {
    let code: ErrorCode = "fixture"
    let message = "The fixture throws in a factory."
}
