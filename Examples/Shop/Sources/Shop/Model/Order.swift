import AtriumKit

/// What somebody bought.
struct Order: Identifiable, Codable, Hashable, Sendable {
    /// How many of one product can be bought at once.
    static let quantities = 1...100

    let id: Int
    let product: String
    @Bounded<Quantities> private(set) var quantity: Int
    /// What was paid, in hundredths.
    @Bounded<Amounts> private(set) var cents: Int
    let at: Timestamp

    enum Quantities: NumberLimits {
        static var range: ClosedRange<Int> { Order.quantities }
    }

    enum Amounts: NumberLimits {
        static var range: ClosedRange<Int> { 0...1_000_000_000_000 }
    }
}

extension ServiceError {
    static let noOffers = ServiceError(
        "noOffers", "This version of Catalog offers nothing to other modules.", hint: "module update Catalog")

    static func noOffer(_ id: Int) -> ServiceError {
        ServiceError(.notFound, "The shop has no product \(id).", hint: "shop")
    }

    static func soldOut(_ offer: Offer) -> ServiceError {
        ServiceError("soldOut", "'\(offer.name)' is sold out.", hint: "shop")
    }

    static func priceChanged(_ offer: Offer) -> ServiceError {
        ServiceError(
            "priceChanged", "The price of '\(offer.name)' has changed since it was shown.",
            hint: "shop/products/\(offer.id)")
    }

    static func overLimit(_ euros: Int) -> ServiceError {
        ServiceError(
            "overLimit", "The total is above your limit of \(euros) € for a purchase.",
            hint: "shop/settings limit EUROS")
    }

    static let isBeingBought = ServiceError("isBeingBought", "The purchase is being made already.")
}
