/// A product that can be bought.
struct Offer: Identifiable, Hashable, Sendable {
    let id: Int
    let name: String
    /// The price in hundredths.
    let cents: Int
    let isAvailable: Bool
}
