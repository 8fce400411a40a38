/// Why there is no line editor on this terminal. Lines can still be read plainly.
package struct LineEditorError: Error, Equatable, Sendable, CustomStringConvertible {
    package let message: String
    package let hint: String

    package var description: String { "\(message) \(hint)" }

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
