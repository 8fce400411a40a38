import AtriumKit

/// Signs people up.
final class MemberModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        // The factory of a repository offers services only, so the API client is passed off as one.
        registry.service((any APIClient).self, live: { $0.api }, local: .unavailable, mock: { $0.api })
        registry.repository(MemberRepository.self) { MemberRepository(api: try $0.service()) }
        registry.viewModel(MemberViewModel.self) { MemberViewModel(repository: try $0.repository()) }
        registry.screen(MemberDestination.self) { MemberView(viewModel: try $0.viewModel()) }
    }
}
