import AtriumKit

/// Signs people up.
final class MemberModule: FeatureModule {
    private let repository = MemberRepository()

    func register(in registry: ModuleRegistry) {
        registry.repository(MemberRepository.self) { [repository] _ in repository }
        registry.viewModel(MemberViewModel.self) { MemberViewModel(repository: try $0.repository()) }
        registry.screen(MemberDestination.self) { MemberView(viewModel: try $0.viewModel()) }
    }

    func snapshot(version: Int) throws -> ModuleSnapshot? {
        try repository.latest.map { try ModuleSnapshot(version: 1, $0) }
    }

    func restore(_ snapshot: ModuleSnapshot) throws {
        repository.latest = try snapshot.decode()
    }
}
