extension Wallet {
    /// The wallets of environment mock: a card, and one that has expired.
    static let samples = [
        Wallet(account: "mock-ada", card: "4242", expires: Expiry(rawValue: "12/99")),
        Wallet(account: "mock-grace", card: "0005", expires: Expiry(rawValue: "01/00")),
    ]
}
