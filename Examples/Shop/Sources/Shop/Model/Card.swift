import AtriumKit

/// The last month in which a card can be used, as it is printed on cards: `09/27`.
struct Expiry: RawRepresentable, RecordValue {
    static let argumentTypeName = "a month such as 09/27"

    let rawValue: String
    var argumentText: String { rawValue }

    init?(argument: String) { self.init(rawValue: argument) }

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
        return hasCheckDigit ? nil : "The card number is mistyped: its last digit does not fit the others."
    }

    /// The algorithm of ISO/IEC 7812-1, annex B: every second digit from the right counts twice.
    private var hasCheckDigit: Bool {
        let sum = digits.compactMap(\.wholeNumberValue).reversed().enumerated().reduce(0) { sum, digit in
            let value = digit.offset % 2 == 0 ? digit.element : digit.element * 2
            return sum + value / 10 + value % 10
        }
        return sum % 10 == 0
    }
}
