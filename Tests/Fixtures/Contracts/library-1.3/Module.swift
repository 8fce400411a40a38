import AtriumKit
import Lending

/// Lends books, films and games, and says who has them.
final class LibraryModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any LoanService).self, live: { _ in Library() }, local: { _ in Library() },
            mock: { _ in Library() })
    }
}

struct Library: LoanService {
    func lateLoans() -> [Loan] {
        [
            Loan(title: "Dune", kind: .book, days: 3, member: "Ada"),
            Loan(title: "Solaris", kind: .film, days: 2, member: "Grace"),
            Loan(title: "Go", kind: .game, days: 5, member: "Ada"),
        ]
    }
}
