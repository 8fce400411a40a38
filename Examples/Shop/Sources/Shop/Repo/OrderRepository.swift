import AtriumKit

/// The orders of the signed-in person.
@MainActor
final class OrderRepository {
    private let orders: any OrderService
    private let session: SessionWriter
    private let clock: any WallClock

    init(orders: any OrderService, session: SessionWriter, clock: any WallClock) {
        self.orders = orders
        self.session = session
        self.clock = clock
    }

    func all() async throws -> [Order] {
        try await orders.orders(of: session.account)
    }

    func create(_ offer: Offer, quantity: Int) async throws -> Order {
        try ValidationError.check(ValidationFinding.checking("quantity", quantity, within: Order.quantities))
        return try await orders.create(offer, quantity: quantity, at: clock.now(), of: session.account)
    }
}
