import AtriumKit
import Observation

/// Shows the greetings that other modules contribute; Counter, which it requires, has one.
final class GreeterModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.viewModel(GreeterViewModel.self) {
            GreeterViewModel(greetings: try $0.contributions(to: .greetings).map(\.value))
        }
        registry.screen(GreeterDestination.self) { GreeterView(viewModel: try $0.viewModel()) }
    }
}

extension ContributionPoint where Element == String {
    /// The list that Counter adds to; of a type of the standard library, it is the same in every module.
    fileprivate static var greetings: ContributionPoint<String> { ContributionPoint("greetings") }
}

@Observable final class GreeterViewModel: ViewModel {
    let greetings: [String]

    init(greetings: [String]) {
        self.greetings = greetings
    }
}

struct GreeterDestination: Destination {
    static let pattern: LinkPattern = "greeter"
}

struct GreeterView: View {
    let viewModel: GreeterViewModel

    var body: Content {
        Title("Greeter")
        Field("greetings", viewModel.greetings.joined(separator: " "))
    }
}
