package import AtriumKit

/// Why there is no line editor on this terminal; lines can still be read plainly.
package struct LineEditorError: ExplainedError, Equatable {
    package var code: ErrorCode { "lineEditorUnavailable" }
    package let message: String
    package let hint: String?

    static func unavailable(_ reason: String) -> LineEditorError {
        LineEditorError(
            message: "The line editor can't start: \(reason).",
            hint: "Install libedit (on Debian: apt install libedit2).")
    }

    static func noTerminal() -> LineEditorError {
        LineEditorError(
            message: "The line editor can't start: standard input and output are not both a terminal.",
            hint: "Run commands with -c 'LINE', or pipe them in.")
    }
}
