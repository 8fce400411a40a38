import AtriumKit
import Observation

/// Holds a contribution of Base in a shared value, which is therefore rebuilt when Base is updated.
final class DependentModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.aggregateModel(Hearing.self) {
            Hearing(greetings: try $0.contributions(to: .greetings).map(\.value))
        }
        registry.viewModel(DependentViewModel.self) { DependentViewModel(hearing: try $0.aggregateModel()) }
        registry.screen(DependentDestination.self) { DependentView(viewModel: try $0.viewModel()) }
    }
}

extension ContributionPoint where Element == String {
    fileprivate static var greetings: ContributionPoint<String> { ContributionPoint("greetings") }
}

@MainActor @Observable final class Hearing {
    let greetings: [String]

    init(greetings: [String]) {
        self.greetings = greetings
    }
}

@Observable final class DependentViewModel: ViewModel {
    private let hearing: Hearing
    var greetings: Int { hearing.greetings.count }

    init(hearing: Hearing) {
        self.hearing = hearing
    }
}

struct DependentDestination: Destination {
    static let pattern: LinkPattern = "filler-number-0000"
}

struct DependentView: View {
    let viewModel: DependentViewModel

    var body: Content { Field("greetings", viewModel.greetings) }
}
