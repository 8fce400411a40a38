import AtriumKit

/// Something that can be bought.
struct Product: Identifiable, Codable, Hashable, Sendable {
    /// Given when the product is added, and never reused.
    let id: Int
    let name: String
    let price: Price
    var availability = Availability.available
}

/// Whether a product can be bought now.
enum Availability: String, CaseIterable, Codable, Hashable, Sendable {
    case available
    case soldOut = "sold-out"
}

/// A product that somebody wants to add.
struct ProductDraft: Hashable, Sendable {
    let name: String
    let price: Price

    init(name: String, price: Price) {
        self.name = name.trimmed
        self.price = price
    }

    /// Everything that is wrong.
    func validate() -> [ValidationFinding] {
        TextRule(subject: "The name", maximum: 100).problems(of: name).map {
            ValidationFinding($0, field: "name")
        } + price.validate()
    }
}

extension ServiceError {
    static func noProduct(_ id: Int) -> ServiceError {
        ServiceError(.notFound, "There is no product \(id).", hint: "catalog")
    }

    static func duplicate(_ name: String) -> ServiceError {
        ServiceError(
            "duplicate", "There is already a product named '\(name)'.",
            hint: "Choose another name; 'catalog' lists the products.", category: .validation)
    }
}
