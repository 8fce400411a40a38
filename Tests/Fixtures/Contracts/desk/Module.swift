import AtriumKit
import Lending

/// Provides the loans in the next major version of the contract, and shows them.
final class DeskModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any LoanService).self, live: { _ in Loans() }, local: { _ in Loans() }, mock: { _ in Loans() })
        registry.screen(DeskDestination.self) { _ in DeskView() }
    }
}

struct Loans: LoanService {
    func lateLoans(of member: String) -> [Loan] {
        member == "Ada" ? [Loan(title: "Dune", lateness: .seconds(3 * 86_400))] : []
    }
}

struct DeskDestination: Destination {
    static let pattern: LinkPattern = "desk"
}

struct DeskView: View {
    var body: Content {
        Title("Desk")
        Field("late", Loans().lateLoans(of: "Ada").map(\.title).joined(separator: ", "))
    }
}
