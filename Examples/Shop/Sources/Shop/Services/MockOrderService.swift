import AtriumKit

/// Orders that are forgotten when the host ends; in scenario edge everybody has bought as much as one can.
actor MockOrderService: OrderService {
    private let behavior: MockBehavior
    private var orders: [String: [Order]] = [:]

    init(behavior: MockBehavior) {
        self.behavior = behavior
    }

    func orders(of account: String) async throws -> [Order] {
        try await play("orders", ["account": account])
        guard behavior.scenario.kind == .edge else { return orders[account] ?? [] }
        return [
            Order(
                id: 1, product: String(repeating: "Lamp ", count: 20), quantity: 100, cents: 10_000_000_000,
                at: Timestamp(microseconds: 0))
        ]
    }

    func create(_ offer: Offer, quantity: Int, at moment: Timestamp, of account: String) async throws -> Order
    {
        try await play("create", ["account": account, "product": offer.name, "quantity": "\(quantity)"])
        let order = Order(
            id: orders.values.joined().count + 1, product: offer.name, quantity: quantity,
            cents: offer.cents.multipliedClamped(by: quantity), at: moment)
        orders[account, default: []].insert(order, at: 0)
        return order
    }

    private func play(_ call: String, _ arguments: [String: String]) async throws {
        try await behavior.play(
            call, arguments, failingWith: ServiceError.unavailable("The order service", mock: "OrderService"))
    }
}
