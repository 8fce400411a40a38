import AtriumKit

/// Registers what the module adds to the application.
final class __NAME__Module: FeatureModule {
    static let migrations = Migration.records(Guest.self)

    func register(in registry: ModuleRegistry) {
        registry.records(Guest.self, live: .unavailable, local: .table, mock: .samples([Guest(name: "Ada")]))
        registry.viewModel(__NAME__ViewModel.self) { __NAME__ViewModel(guests: try $0.repository()) }
        registry.screen(__NAME__Destination.self) { __NAME__View(viewModel: try $0.viewModel()) }
    }
}
