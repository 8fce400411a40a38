import AtriumKit

/// A payment method as it is kept: the number itself is not.
struct Card: Codable, Hashable, Sendable {
    let lastDigits: String
    let expiry: Expiry
}

/// The last month in which a card can be used.
struct Expiry: Codable, Hashable, Sendable {
    @Bounded<Months> private(set) var month: Int
    @Bounded<Years> private(set) var year: Int

    enum Months: NumberLimits {
        static var range: ClosedRange<Int> { 1...12 }
    }

    enum Years: NumberLimits {
        static var range: ClosedRange<Int> { 2000...2099 }
    }

    func isOver(at moment: Timestamp) -> Bool {
        "\(moment)".prefix(7) > "\(year)-\(twoDigits(month))"
    }
}

extension Expiry {
    /// Reads a month as it is printed on cards, such as `09/27`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(isDigit) }),
            let month = Int(parts[0]), (1...12).contains(month), let year = Int(parts[1])
        else { return nil }
        self.init(month: month, year: 2000 + year)
    }

    var text: String { "\(twoDigits(month))/\(twoDigits(year % 100))" }
}

/// A card as somebody enters it, with its whole number, which nothing prints or stores.
struct CardDraft: Sendable {
    let digits: String
    let expiry: Expiry

    /// Spaces and dashes in the number are for reading only.
    init(number: String, expiry: Expiry) {
        digits = number.filter { !$0.isWhitespace && $0 != "-" }
        self.expiry = expiry
    }

    var card: Card { Card(lastDigits: String(digits.suffix(4)), expiry: expiry) }

    /// Everything that is wrong, in sentences that don't show the number.
    func validate(at moment: Timestamp) -> [ValidationFinding] {
        var findings: [ValidationFinding] = []
        if let problem = numberProblem { findings.append(ValidationFinding(problem, field: "number")) }
        if expiry.isOver(at: moment) {
            findings.append(
                ValidationFinding("The card expired at the end of \(expiry.text).", field: "expires"))
        }
        return findings
    }

    private var numberProblem: String? {
        if digits.isEmpty { return "The card number is empty." }
        if !digits.allSatisfy(isDigit) { return "The card number may only have digits." }
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

extension CardDraft: CustomStringConvertible, CustomReflectable {
    var description: String { "CardDraft(ending in \(card.lastDigits))" }
    var customMirror: Mirror { Mirror(self, children: ["expiry": expiry]) }
}

extension ServiceError {
    static let noCard = ServiceError(
        "noCard", "You have no payment method.", hint: "shop/payment save --expires MM/YY")

    static func expired(_ card: Card) -> ServiceError {
        ServiceError(
            "cardExpired",
            "Your card ending in \(card.lastDigits) expired at the end of \(card.expiry.text).",
            hint: "shop/payment save --expires MM/YY")
    }
}

private func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
