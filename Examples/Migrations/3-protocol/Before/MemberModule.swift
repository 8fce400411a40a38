import AtriumKit

/// Signs people up.
final class MemberModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        // There is nothing else to build in environment mock, so it has no mock.
        registry.service(
            MemberService.self, live: .unavailable, local: { MemberService(database: $0.database) },
            mock: { MemberService(database: $0.database) })
        registry.repository(MemberRepository.self) { MemberRepository(members: try $0.service()) }
        registry.viewModel(MemberViewModel.self) { MemberViewModel(repository: try $0.repository()) }
        registry.screen(MemberDestination.self) { MemberView(viewModel: try $0.viewModel()) }
    }
}
