import AtriumKit
import Observation

@MainActor
@Observable
final class ReportViewModel: ViewModel {
    private(set) var report: LibraryReport?
    private let repository: ReportRepository

    init(_ repository: ReportRepository, loans: RecordRepository<Loan>) {
        self.repository = repository
        loans.changes.reload(self) { try await $0.load() }
    }

    func load() async throws { report = try await repository.today() }
}
