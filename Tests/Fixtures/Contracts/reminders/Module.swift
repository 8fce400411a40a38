import AtriumKit
import Lending
import Observation

/// Reminds members of late loans, since the contract says who has them.
final class RemindersModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.repository(RemindersRepository.self) { RemindersRepository(loans: try $0.service()) }
        registry.viewModel(RemindersViewModel.self) { RemindersViewModel(repository: try $0.repository()) }
        registry.screen(RemindersDestination.self) { RemindersView(viewModel: try $0.viewModel()) }
    }
}

final class RemindersRepository {
    let reminders: [Reminder]

    init(loans: any LoanService) {
        reminders = loans.lateLoans().map { Reminder(member: $0.member ?? "somebody", title: $0.title) }
    }
}

struct Reminder {
    let member: String
    let title: String
}

@Observable final class RemindersViewModel: ViewModel {
    let reminders: [Reminder]

    init(repository: RemindersRepository) {
        reminders = repository.reminders
    }
}

struct RemindersDestination: Destination {
    static let pattern: LinkPattern = "reminders"
}

struct RemindersView: View {
    let viewModel: RemindersViewModel

    var body: Content {
        Table(viewModel.reminders) {
            Column("member") { $0.member }
            Column("title") { $0.title }
        }
    }
}
