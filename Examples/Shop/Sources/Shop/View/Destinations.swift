import AtriumKit

struct ShopDestination: Destination {
    static let pattern: LinkPattern = "shop"
}

/// A product by its number in the catalog.
struct ProductDetail: Destination {
    static let pattern: LinkPattern = "shop/products/:id"

    let id: Int
}

struct OrdersDestination: Destination {
    static let pattern: LinkPattern = "shop/orders"
    static let guards: [GuardName] = [.signedIn]
}

struct PaymentDestination: Destination {
    static let pattern: LinkPattern = "shop/payment"
    static let guards: [GuardName] = [.signedIn]
}

struct SettingsDestination: Destination {
    static let pattern: LinkPattern = "shop/settings"
    static let guards: [GuardName] = [.signedIn]
}
