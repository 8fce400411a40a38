import AtriumKit
import Observation
import Payments

/// Shows the payments of another module.
final class FinesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.repository(FinesRepository.self) { FinesRepository(payments: try $0.service()) }
        registry.viewModel(FinesViewModel.self) { FinesViewModel(repository: try $0.repository()) }
        registry.screen(FinesDestination.self) { FinesView(viewModel: try $0.viewModel()) }
    }
}

final class FinesRepository {
    let payments: any PaymentService

    init(payments: any PaymentService) {
        self.payments = payments
    }
}

@Observable final class FinesViewModel: ViewModel {
    let payments: [Payment]
    let total: Int

    init(repository: FinesRepository) {
        payments = repository.payments.payments()
        total = repository.payments.total()
    }
}

struct FinesDestination: Destination {
    static let pattern: LinkPattern = "fines"
}

struct FinesView: View {
    let viewModel: FinesViewModel

    var body: Content {
        Title("Fines")
        Field("payments", viewModel.payments.map { "\($0.id): \($0.cents)" }.joined(separator: ", "))
        Field("total", "\(viewModel.total)")
    }
}
