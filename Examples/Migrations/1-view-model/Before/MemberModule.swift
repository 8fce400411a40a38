import AtriumKit

/// Signs people up.
final class MemberModule: FeatureModule {
    private let repository = MemberRepository()

    func register(in registry: ModuleRegistry) {
        // The factory of a screen offers view models only, so the module passes its repository by itself.
        registry.screen(MemberDestination.self) { [repository] _ in MemberView(repository: repository) }
    }

    func snapshot(version: Int) throws -> ModuleSnapshot? {
        try repository.latest.map { try ModuleSnapshot(version: 1, $0) }
    }

    func restore(_ snapshot: ModuleSnapshot) throws {
        repository.latest = try snapshot.decode()
    }
}
