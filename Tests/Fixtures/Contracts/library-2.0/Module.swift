import AtriumKit
import Lending

/// Provides the next major version of the contract, which another module has to provide beside it.
final class LibraryModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any LoanService).self, live: { _ in Library() }, local: { _ in Library() },
            mock: { _ in Library() })
    }
}

struct Library: LoanService {
    func lateLoans(of member: String) -> [Loan] {
        member == "Ada" ? [Loan(title: "Dune", lateness: .seconds(3 * 86_400))] : []
    }
}
