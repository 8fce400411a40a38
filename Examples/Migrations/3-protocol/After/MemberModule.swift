import AtriumKit

/// Signs people up.
final class MemberModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any MemberService).self, live: .unavailable,
            local: { LocalMemberService(database: $0.database) },
            mock: { MockMemberService($0.mock((any MemberService).self)) })
        registry.repository(MemberRepository.self) { MemberRepository(members: try $0.service()) }
        registry.viewModel(MemberViewModel.self) { MemberViewModel(repository: try $0.repository()) }
        registry.screen(MemberDestination.self) { MemberView(viewModel: try $0.viewModel()) }
    }
}
