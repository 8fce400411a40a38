import AtriumKit

/// Registers what the module adds to the application.
final class __NAME__Module: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any GreetingService).self, live: .unavailable, local: { _ in LocalGreetingService() },
            mock: { MockGreetingService(behavior: $0.mock((any GreetingService).self)) })
        registry.repository(GreetingRepository.self) { GreetingRepository(greetings: try $0.service()) }
        registry.viewModel(__NAME__ViewModel.self) { __NAME__ViewModel(greetings: try $0.repository()) }
        registry.screen(__NAME__Destination.self) { __NAME__View(viewModel: try $0.viewModel()) }
    }
}
