import AtriumKit
import Lending
import Observation

/// Charges late loans by their kind.
final class FinesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.repository(FinesRepository.self) { FinesRepository(loans: try $0.service()) }
        registry.viewModel(FinesViewModel.self) { FinesViewModel(repository: try $0.repository()) }
        registry.screen(FinesDestination.self) { FinesView(viewModel: try $0.viewModel()) }
        registry.contribute(to: .healthChecks) { context in
            let repository = try context.repository(FinesRepository.self)
            return HealthCheck("fines") { "\(repository.fines.count) charged" }
        }
    }
}

final class FinesRepository: Sendable {
    let fines: [Fine]

    init(loans: any LoanService) {
        fines = loans.lateLoans().map { Fine(title: $0.title, cents: $0.days * Self.rate(of: $0.kind)) }
    }

    /// The cents for each day; a kind that a later version of the contract added costs as much as a book.
    private static func rate(of kind: Loan.Kind) -> Int {
        switch kind {
        case .book: 20
        case .film: 50
        @unknown default: 20
        }
    }
}

struct Fine {
    let title: String
    let cents: Int
}

@Observable final class FinesViewModel: ViewModel {
    let fines: [Fine]

    init(repository: FinesRepository) {
        fines = repository.fines
    }
}

struct FinesDestination: Destination {
    static let pattern: LinkPattern = "fines"
}

struct FinesView: View {
    let viewModel: FinesViewModel

    var body: Content {
        Table(viewModel.fines) {
            Column("title") { $0.title }
            Column("cents") { $0.cents }
        }
    }
}
