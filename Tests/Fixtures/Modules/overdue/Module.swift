import AtriumKit
import Observation

/// Shows what Loans offers, and writes its elements down with one label more.
final class OverdueModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.viewModel(OverdueViewModel.self) {
            OverdueViewModel(titles: try $0.contributions(to: .loans).map(\.value.title))
        }
        registry.screen(OverdueDestination.self) { OverdueView(viewModel: try $0.viewModel()) }
    }
}

extension ContributionPoint where Element == (title: String, days: Int, fee: Int) {
    fileprivate static var loans: Self { Self("loans") }
}

@Observable final class OverdueViewModel: ViewModel {
    let titles: [String]

    init(titles: [String]) {
        self.titles = titles
    }
}

struct OverdueDestination: Destination {
    static let pattern: LinkPattern = "overdue"
}

struct OverdueView: View {
    let viewModel: OverdueViewModel

    var body: Content { Field("titles", viewModel.titles.joined(separator: ", ")) }
}
