import AtriumKit
import Observation
import Payments

/// Shows the payments of all modules that provide them.
final class TakingsModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.repository(TakingsRepository.self) { TakingsRepository(tills: try $0.services()) }
        registry.viewModel(TakingsViewModel.self) { TakingsViewModel(repository: try $0.repository()) }
        registry.screen(TakingsDestination.self) { TakingsView(viewModel: try $0.viewModel()) }
    }
}

final class TakingsRepository {
    let tills: [NamedService<any PaymentService>]

    init(tills: [NamedService<any PaymentService>]) {
        self.tills = tills
    }
}

@Observable final class TakingsViewModel: ViewModel {
    let rows: [(till: String, module: String, cents: Int)]

    init(repository: TakingsRepository) {
        rows = repository.tills.map { till in
            (till.name, till.module, till.service.payments().reduce(0) { $0 + $1.cents })
        }
    }
}

struct TakingsDestination: Destination {
    static let pattern: LinkPattern = "takings"
}

struct TakingsView: View {
    let viewModel: TakingsViewModel

    var body: Content {
        Table(viewModel.rows) {
            Column("till") { $0.till }
            Column("module") { $0.module }
            Column("cents") { $0.cents }
        }
    }
}
