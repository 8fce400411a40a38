import AtriumKit

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

    static let noCard = ServiceError(
        "noCard", "You have no payment method.", hint: "shop/payment save --expires MM/YY")

    static func expired(_ card: Card) -> ServiceError {
        ServiceError(
            "cardExpired",
            "Your card ending in \(card.lastDigits) expired at the end of \(card.expiry.rawValue).",
            hint: "shop/payment save --expires MM/YY")
    }

    static func overLimit(_ euros: Int) -> ServiceError {
        ServiceError(
            "overLimit", "The total is above your limit of \(euros) € for a purchase.",
            hint: "shop/settings limit EUROS")
    }
}
