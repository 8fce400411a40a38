import AtriumKit

/// The card of the user of environment mock; in scenario edge an expired one, also for ModuleConformance's.
extension Wallet {
    static let samples = [Wallet(account: "mock-ada", card: "4242", expires: Expiry(rawValue: "12/99"))]
    static let edges = ["mock-ada", "sample"].map {
        Wallet(account: $0, card: "0005", expires: Expiry(rawValue: "01/00"))
    }
}

extension Order {
    static let edges = [
        Order(
            product: String(repeating: "Lamp ", count: 20).trimmed, quantity: 100,
            paid: Money(hundredths: 100_000_000_00), account: "mock-ada")
    ]
}
