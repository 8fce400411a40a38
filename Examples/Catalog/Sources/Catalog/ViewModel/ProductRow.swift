/// A product as the list shows it.
struct ProductRow: Identifiable, Hashable, Sendable {
    let id: Int
    let name: String
    let price: String
    /// The price for programs.
    let cents: Int
    let availability: String

    init(_ product: Product) {
        (id, name, cents) = (product.id, product.name, product.price.cents)
        price = "\(product.price.decimal) €"
        availability = product.availability.words
    }
}

extension Price {
    /// The amount with two decimals behind a point, in every locale.
    var decimal: String { "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)" }
}

extension Availability {
    var words: String {
        switch self {
        case .available: "available"
        case .soldOut: "sold out"
        }
    }
}
