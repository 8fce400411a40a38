import AtriumKit

/// What a user pays with, and how much at most: of the card, only the last digits are stored.
struct Wallet: Record {
    var id = 0
    var account = ""
    var card: String?
    var expires: Expiry?
    var limit = Money(hundredths: 500_00)

    static let fields: Fields<Wallet> = [
        RecordField("account", "The user's account", \.account, .filtered),
        RecordField("card", "The last digits of the card", \.card),
        RecordField("expires", "The last month of the card", \.expires),
        RecordField(
            "limit", "What a purchase may cost", \.limit,
            .amount(Money(hundredths: 1_00)...Money(hundredths: 10_000_00))),
    ]
}

/// The last month in which a card can be used, as it is printed on cards: `09/27`.
struct Expiry: RawRepresentable, RecordValue {
    static let argumentTypeName = "a month such as 09/27"

    let rawValue: String

    init?(rawValue: String) {
        guard rawValue.wholeMatch(of: /(0[1-9]|1[0-2])\/[0-9]{2}/) != nil else { return nil }
        self.rawValue = rawValue
    }

    func isOver(at moment: Timestamp) -> Bool {
        "\(moment)".prefix(7) > "20\(rawValue.suffix(2))-\(rawValue.prefix(2))"
    }
}

/// The number of a card, which nothing prints or stores; spaces and dashes are for reading only.
struct CardNumber: CustomStringConvertible, CustomReflectable {
    let digits: String
    var lastDigits: String { String(digits.suffix(4)) }
    var description: String { "CardNumber(ending in \(lastDigits))" }
    var customMirror: Mirror { Mirror(self, children: []) }

    init(_ text: String) { digits = text.filter { !$0.isWhitespace && $0 != "-" } }

    /// The first thing that is wrong, in a sentence that does not show the number.
    var problem: String? {
        if digits.isEmpty { return "The card number is empty." }
        if digits.wholeMatch(of: /[0-9]+/) == nil { return "The card number may only have digits." }
        if !(12...19).contains(digits.count) {
            return "The card number must have 12 to 19 digits, not \(digits.count)."
        }
        // ISO/IEC 7812-1, annex B: every second digit from the right counts twice.
        let sum = digits.compactMap(\.wholeNumberValue).reversed().enumerated().reduce(0) { sum, digit in
            let value = digit.offset % 2 == 0 ? digit.element : digit.element * 2
            return sum + value / 10 + value % 10
        }
        return sum % 10 == 0 ? nil : "The card number is mistyped: its last digit does not fit the others."
    }
}
