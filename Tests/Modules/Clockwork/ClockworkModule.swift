import AtriumKit
import Observation

/// Provides a clock, its chimes and a health check.
final class ClockworkModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any WallClock).self, live: .unavailable, local: { $0.clock }, mock: { $0.clock })
        registry.repository(Chimes.self) { Chimes(clock: try $0.service((any WallClock).self)) }
        registry.contribute(to: .healthChecks, order: -1) { context in
            let chimes = context.repositoryProvider(Chimes.self)
            return HealthCheck("chimes") {
                try chimes().strike()
                return "struck"
            }
        }
        registry.viewModel(ChimesViewModel.self) { ChimesViewModel(chimes: $0.repositoryProvider()) }
        registry.screen(ChimesDestination.self) { ChimesView(viewModel: try $0.viewModel()) }
    }
}

final class Chimes {
    private(set) var count = 0
    private let clock: any WallClock

    init(clock: any WallClock) {
        self.clock = clock
    }

    func strike() {
        count += 1
    }
}

@Observable final class ChimesViewModel: ViewModel {
    private let chimes: Provider<Chimes>
    private(set) var count = 0

    init(chimes: Provider<Chimes>) {
        self.chimes = chimes
    }

    func load() async throws {
        count = try chimes().count
    }
}

struct ChimesView: View {
    let viewModel: ChimesViewModel

    var body: Content { Field("struck", viewModel.count) }

    func load() async throws {
        try await viewModel.load()
    }
}

struct ChimesDestination: Destination {
    static let pattern: LinkPattern = "chimes"
}
