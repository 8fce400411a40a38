import AtriumKit

final class UndeclaredSessionModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.repository(GreetingRepository.self) { GreetingRepository(session: $0.session) }
    }
}

@MainActor final class GreetingRepository {
    private let session: SessionWriter

    init(session: SessionWriter) { self.session = session }

    var greeting: String { "Hello, \(session.user?.email ?? "guest")." }
}
