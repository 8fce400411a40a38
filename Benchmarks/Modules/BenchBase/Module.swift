import AtriumKit
import Observation

/// The module that is updated: it transfers a count, and contributes a greeting that other modules hold.
final class BaseModule: FeatureModule {
    private let tally = Tally()

    func register(in registry: ModuleRegistry) {
        registry.repository(Tally.self) { [tally] _ in tally }
        registry.viewModel(BaseViewModel.self) { BaseViewModel(tally: try $0.repository()) }
        registry.screen(BaseDestination.self) { BaseView(viewModel: try $0.viewModel()) }
        registry.contribute(to: .greetings) { _ in "Hello." }
    }

    func snapshot(version: Int) throws -> ModuleSnapshot? {
        try ModuleSnapshot(version: version, TallyState(count: tally.count))
    }

    func restore(_ snapshot: ModuleSnapshot) throws {
        tally.count = try snapshot.decode(TallyState.self).count
    }
}

extension ContributionPoint where Element == String {
    fileprivate static var greetings: ContributionPoint<String> { ContributionPoint("greetings") }
}

@MainActor final class Tally {
    var count = 0
}

struct TallyState: Codable {
    let count: Int
}

@Observable final class BaseViewModel: ViewModel {
    private let tally: Tally
    var count: Int { tally.count }

    init(tally: Tally) {
        self.tally = tally
    }

    func increment() {
        tally.count += 1
    }
}

struct BaseDestination: Destination {
    static let pattern: LinkPattern = "base"
}

struct BaseView: View {
    let viewModel: BaseViewModel

    var body: Content { Field("count", viewModel.count) }

    var actions: [Action] {
        Action("increment", "Counts one on") {
            viewModel.increment()
            return .updated
        }
    }
}
