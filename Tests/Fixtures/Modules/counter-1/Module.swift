import AtriumKit
import Observation

/// Counts, and transfers its count to the next generation.
final class CounterModule: FeatureModule {
    private let tally = Tally()

    func register(in registry: ModuleRegistry) {
        registry.repository(Tally.self) { [tally] _ in tally }
        registry.viewModel(CounterViewModel.self) { CounterViewModel(tally: try $0.repository()) }
        registry.screen(CounterDestination.self) { CounterView(viewModel: try $0.viewModel()) }
        registry.contribute(to: .greetings) { _ in "Counter 1.0.0 says hello." }
    }

    func snapshot(version: Int) throws -> ModuleSnapshot? {
        try ModuleSnapshot(version: 1, TallyState(count: tally.count))
    }

    func restore(_ snapshot: ModuleSnapshot) throws {
        tally.count = try snapshot.decode(TallyState.self).count
    }
}

extension ContributionPoint where Element == String {
    /// The list that Greeter shows.
    ///
    /// A contribution point of a standard-library type is shared by all modules.
    fileprivate static var greetings: ContributionPoint<String> { ContributionPoint("greetings") }
}

/// The count of the module.
@MainActor final class Tally {
    var count = 0
}

/// The state for the next generation; state version 1.
struct TallyState: Codable {
    let count: Int
}

@Observable final class CounterViewModel: ViewModel {
    private let tally: Tally
    private(set) var step = 1
    var count: Int { tally.count }
    var savedState: StepState { StepState(step: step) }

    init(tally: Tally) {
        self.tally = tally
    }

    func restore(_ state: StepState) {
        step = state.step
    }

    func increment() {
        tally.count += step
    }

    func change(step: Int) {
        self.step = step
    }
}

/// The saved state of the screen.
struct StepState: Codable {
    let step: Int
}

struct CounterDestination: Destination {
    static let pattern: LinkPattern = "counter"
}

struct CounterView: View {
    let viewModel: CounterViewModel

    var body: Content {
        Title("Counter")
        Field("version", "1.0.0")
        Field("count", viewModel.count)
        Field("step", viewModel.step)
    }

    var actions: [Action] {
        Action("increment", "Counts one step on") {
            viewModel.increment()
            return .updated
        }
        Action("step", "Changes how far a step is", Argument<Int>("by")) { step in
            viewModel.change(step: step)
            return .updated
        }
    }
}
