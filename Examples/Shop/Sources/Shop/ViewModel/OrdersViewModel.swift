import AtriumKit
import Observation

/// What the signed-in person bought.
@MainActor
@Observable
final class OrdersViewModel: ViewModel {
    private(set) var orders: [Order] = []
    private let repository: OrderRepository

    init(repository: OrderRepository) {
        self.repository = repository
    }

    var formattedTotal: String { formatted(cents: orders.reduce(0) { $0 + $1.cents }) }

    func load() async throws {
        orders = try await repository.all()
    }

    func paid(for order: Order) -> String { formatted(cents: order.cents) }
}
