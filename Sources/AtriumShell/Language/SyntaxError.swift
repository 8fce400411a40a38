package import AtriumKit

/// Why a line is not a command.
package struct SyntaxError: ExplainedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?
    package var category: ErrorCategory { .failure }

    private init(_ code: ErrorCode, _ message: String, hint: String?) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    static func unclosedQuote(_ quote: Character, in text: String) -> SyntaxError {
        SyntaxError(
            .syntax, "A quote \(quote) is opened, but not closed.",
            hint: "Close it with \(quote), or write \\\(quote) where the character itself is meant.")
    }

    static func trailingBackslash(in text: String) -> SyntaxError {
        SyntaxError(
            .syntax, "The line ends in a backslash, which needs a character behind it.",
            hint: "Write \\\\ where a backslash is meant.")
    }
}

extension ErrorCode {
    /// A line can't be read as a command.
    package static let syntax: ErrorCode = "syntax"
}
