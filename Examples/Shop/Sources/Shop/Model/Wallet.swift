import AtriumKit

/// What somebody pays with, and how much at most.
struct Wallet: Codable, Hashable, Sendable {
    /// What a limit can be, in euros.
    static let limits = 1...10_000

    var card: Card?
    /// What a purchase may cost, in euros.
    @Bounded<Limits> var limit: Int
    /// Whether the person set the limit.
    var hasOwnLimit = false

    enum Limits: NumberLimits {
        static var range: ClosedRange<Int> { Wallet.limits }
    }
}
