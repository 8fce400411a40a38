import AtriumKit
import Observation

/// Shows the greetings that other modules contribute; it requires Counter, which contributes one.
final class GreeterModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.viewModel(GreeterViewModel.self) {
            GreeterViewModel(greetings: try $0.contributions(to: .greetings).map(\.value))
        }
        registry.screen(GreeterDestination.self) { GreeterView(viewModel: try $0.viewModel()) }
    }
}

extension ContributionPoint where Element == String {
    /// The list that Counter adds to.
    ///
    /// A contribution point of a standard-library type is shared by all modules.
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
