import AtriumKit

/// The orders of the signed-in user.
@MainActor
struct OrderRepository {
    let orders: any RecordService<Order>
    let session: SessionWriter
    let clock: any WallClock

    /// Returns all orders, the newest first.
    func all() async throws -> [Order] {
        let account = try session.signedInUser(at: clock.now()).id
        // A filter ignores case, an account does not.
        return try await orders.all(RecordQuery(filters: ["account": account])).reversed()
            .filter { $0.account == account }
    }

    func create(_ offer: Offer, quantity: Int) async throws -> Order {
        let order = Order(
            product: offer.name, quantity: quantity, paid: offer.price * quantity,
            account: try session.signedInUser(at: clock.now()).id)
        try ValidationError.check(order.validate())
        return try await orders.create(order)
    }
}
