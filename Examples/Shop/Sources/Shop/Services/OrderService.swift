import AtriumKit

/// Where orders are kept, by account.
protocol OrderService: Sendable {
    /// The orders of an account, the newest first.
    func orders(of account: String) async throws -> [Order]
    func create(_ offer: Offer, quantity: Int, at moment: Timestamp, of account: String) async throws -> Order
}
