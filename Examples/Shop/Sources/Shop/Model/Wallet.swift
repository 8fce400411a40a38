import AtriumKit

/// What a user pays with, and how much at most: of the card, only the last digits are stored.
struct Wallet: Record {
    var id = 0
    var account = ""
    var card: String?
    var expires: Expiry?
    /// What a purchase may cost, in euros; nil for the limit of the host.
    var limit: Int?

    static let fields: Fields<Wallet> = [
        RecordField("account", "The user's account", \.account, .unique, .filtered),
        RecordField("card", "The last digits of the card", \.card),
        RecordField("expires", "The last month of the card", \.expires),
        RecordField("limit", "What a purchase may cost, in euros", \.limit, .range(1...10_000)),
    ]
}
