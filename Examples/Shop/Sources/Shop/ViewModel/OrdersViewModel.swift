import AtriumKit
import Observation

/// What the signed-in user bought.
@MainActor
@Observable
final class OrdersViewModel: ViewModel {
    private(set) var orders: [Order] = []
    private let repository: OrderRepository

    init(repository: OrderRepository) { self.repository = repository }

    var formattedTotal: String { orders.reduce(Money(hundredths: 0)) { $0 + $1.paid }.euros }

    func load() async throws { orders = try await repository.all() }
}
