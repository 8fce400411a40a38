import AtriumKit

/// Something that can be bought.
struct Product: Record {
    var id = 0
    var name = ""
    var price = Money(hundredths: 1)
    var availability = Availability.available

    static let link = "catalog"
    static let fields: Fields<Product> = [
        RecordField("name", "Its name", \.name, .length(1...100), .searched, .sorted, .unique),
        RecordField(
            "price", "Its price", \.price, .amount(Money(hundredths: 1)...Money(hundredths: 100_000_000))),
        RecordField("availability", "Whether it can be bought", \.availability, .filtered),
    ]
}

/// Whether a product can be bought now.
enum Availability: String, CaseIterable, Codable, RecordValue {
    case available
    case soldOut = "sold-out"

    var displayText: String { self == .soldOut ? "sold out" : rawValue }
}
