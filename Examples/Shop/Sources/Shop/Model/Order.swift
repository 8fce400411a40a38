import AtriumKit

/// What a user bought.
struct Order: Record {
    var id = 0
    var product = ""
    var quantity = 1
    var paid = Money(hundredths: 0)
    var at = Timestamp(microseconds: 0)
    var account = ""

    static let fields: Fields<Order> = [
        RecordField("product", "The product's name", \.product),
        RecordField("quantity", "The number bought", \.quantity, .range(1...100)),
        RecordField("paid", "The price of all", \.paid),
        RecordField("at", "The moment of the purchase", \.at, .createdAt),
        RecordField("account", "The user's account", \.account, .filtered),
    ]
}

extension Money {
    /// The amount with its sign, in every locale: `12.50 €`.
    var euros: String { "\(displayText) €" }
}
