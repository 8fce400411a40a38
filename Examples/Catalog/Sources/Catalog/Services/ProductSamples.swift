import AtriumKit

extension Product {
    /// The products of environment mock.
    static let samples = [
        Product(name: "Red chair", price: Money(hundredths: 12_000)),
        Product(name: "Blue lamp", price: Money(hundredths: 4_900)),
        Product(name: "Old desk", price: Money(hundredths: 25_050), availability: .soldOut),
    ]
}
