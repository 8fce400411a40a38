import AtriumKit

/// Registers what the module adds to the application.
final class LibraryModule: FeatureModule {
    static let migrations = Migration.records(Book.self, Member.self, Loan.self)

    func register(in registry: ModuleRegistry) {
        registry.records(Book.self, live: .resource("v1/books"), local: .table, mock: .samples(Book.samples))
        {
            $0.omitted = [.detail]
        }
        registry.records(
            Member.self, live: .resource("v1/members"), local: .table, mock: .samples(Member.samples))
        registry.records(Loan.self, live: .resource("v1/loans"), local: .table, mock: .samples(Loan.samples))
        {
            $0.rules = { try .loans($0) }
            $0.detailActions = { loan in
                [
                    Action("return", "Take the book back") {
                        _ = try await loan.update("") {
                            if $0.status == .returned { throw ServiceError.ended($0) }
                            $0.status = .returned
                        }
                        return .updated(loan.record?.thanks)
                    }
                ]
            }
        }
        registry.repository(ReportRepository.self) { try ReportRepository($0) }
        registry.viewModel(BookViewModel.self) { (context, id: Int) in
            BookViewModel(
                RecordViewModel(id: id, model: try context.aggregateModel(), navigator: context.navigator),
                loans: try context.repository(), members: try context.repository())
        }
        registry.viewModel(ReportViewModel.self) {
            ReportViewModel(try $0.repository(), loans: try $0.repository())
        }
        registry.screen(RecordDestination<Book>.self) {
            BookView(viewModel: try $0.viewModel($0.destination.id))
        }
        registry.screen(ReportDestination.self) { ReportView(viewModel: try $0.viewModel()) }
    }
}
