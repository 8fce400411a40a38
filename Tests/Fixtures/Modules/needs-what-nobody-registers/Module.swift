import AtriumKit
import Observation

/// Registers a screen that requires an unregistered type.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.viewModel(PlaceViewModel.self) { PlaceViewModel(stock: try $0.repository()) }
        registry.screen(Start.self) { StartView(viewModel: try $0.viewModel()) }
    }
}

final class Stock {}

@Observable final class PlaceViewModel: ViewModel {
    init(stock: Stock) {}
}

struct Start: Destination {
    static let pattern: LinkPattern = "needs-what-nobody-registers"
}

struct StartView: View {
    let viewModel: PlaceViewModel

    var body: Content { Title("Is never shown") }
}
