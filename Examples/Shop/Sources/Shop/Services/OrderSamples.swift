import AtriumKit

extension Order {
    /// The orders of scenario edge: the user of the mock has bought as much as one can.
    static let edges = [
        Order(
            product: String(repeating: "Lamp ", count: 20).trimmed, quantity: 100,
            paid: Money(euros: 100_000_000), account: "mock-ada")
    ]
}
