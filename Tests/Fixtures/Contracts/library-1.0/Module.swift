import AtriumKit
import Lending

/// Lends books and films, and says which are late.
final class LibraryModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any LoanService).self, live: { _ in Library() }, local: { _ in Library() },
            mock: { _ in Library() })
    }
}

struct Library: LoanService {
    func lateLoans() -> [Loan] {
        [Loan(title: "Dune", kind: .book, days: 3), Loan(title: "Solaris", kind: .film, days: 2)]
    }
}
