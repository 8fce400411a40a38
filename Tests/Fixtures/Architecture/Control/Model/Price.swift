import AtriumKit

struct Price: Sendable {
    // A constant value is not a singleton.
    static let free = Price(cents: 0)

    let cents: Int

    func validate() -> [PriceError] {
        cents < 0 ? [PriceError(cents: cents)] : []
    }
}

struct PriceError: ExplainedError {
    let cents: Int
    let code: ErrorCode = .validation
    var message: String { "A price is at least 0, not \(cents)." }
}
