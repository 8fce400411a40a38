import AtriumKit

/// Something that can be bought.
struct Product: Hashable, Sendable {
    let name: String
    /// The price in hundredths.
    let cents: Int
}

/// A product that can't be added.
struct ProductError: ExplainedError {
    let code: ErrorCode = .validation
    let message: String
    var category: ErrorCategory { .validation }
}
