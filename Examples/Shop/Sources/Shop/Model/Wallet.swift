/// What a user pays with, and how much at most.
struct Wallet: Hashable, Sendable {
    var card: Card?
    /// What a purchase may cost, in euros.
    var limit: Int
    /// True if the user set the limit.
    var hasOwnLimit = false
}

/// A payment method as it is stored: without its number.
struct Card: Hashable, Sendable {
    let lastDigits: String
    let expiry: Expiry
}
