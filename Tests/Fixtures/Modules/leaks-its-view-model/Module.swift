import AtriumKit
import Observation

/// Retains every view model in a global.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.viewModel(LeakyViewModel.self) { _ in LeakyViewModel() }
        registry.screen(Start.self) { StartView(viewModel: try $0.viewModel()) }
    }
}

@MainActor private var kept: [LeakyViewModel] = []

@Observable final class LeakyViewModel: ViewModel {
    init() {
        kept.append(self)
    }
}

struct Start: Destination {
    static let pattern: LinkPattern = "leaks-its-view-model"
}

struct StartView: View {
    let viewModel: LeakyViewModel

    var body: Content { Title("Leaks its view model") }
}
