@_spi(Host) internal import AtriumKit
internal import AtriumNavigation
internal import AtriumText

/// An action of the current screen that was typed when a guard redirected to another screen.
///
/// Performed once when its screen returns, and dropped if the redirect is left otherwise. Kept only in memory
/// and never shown, since it may hold a secret.
package struct DeferredAction {
    let request: Request
    let word: String
    /// `…` if unknown.
    let name: String
    /// The request without its secrets.
    let text: String
    let entry: StackEntry.ID?
    let redirect: StackEntry.ID?
    let redirectLink: String
    /// Why the guard redirected.
    let reason: String?
    /// The variable for its result: `let NAME = ACTION`.
    var variable: Interpreter.AssignedVariable?

    init(
        request: Request, word: String, name: String, text: String, arrival: Arrival, redirectLink: String
    ) {
        self.request = request
        self.word = word
        self.name = name
        self.text = text
        entry = arrival.redirect?.request.entry
        redirect = arrival.entry
        reason = arrival.redirect?.reason
        self.redirectLink = redirectLink
    }

    /// The error while it waits, with the screen that is shown instead.
    func notDone(showing content: Content?) -> ShellError {
        ShellError(
            "deferred", "'\(name)' is not done yet: \(why)",
            hint: "Do what '\(redirectLink)' asks for; '\(name)' continues then.", category: .refused,
            details: content)
    }

    var notPerformed: ShellError {
        guard let tool = request.tool else {
            return notDone(
                hint: "Do what '\(redirectLink)' asks for in the same script; '\(name)' continues then.")
        }
        return notDone(hint: "Do what '\(redirectLink)' asks for, then call '\(tool)' again.")
    }

    var refused: ShellError { notDone(hint: "Do what '\(redirectLink)' asks for, then type it again.") }

    private func notDone(hint: String) -> ShellError {
        ShellError(.notPerformed, "'\(name)' was not done: \(why)", hint: hint, category: .refused)
    }

    private var why: String { reason ?? "Its screen was not opened." }
}

extension ErrorCode { static let notPerformed: ErrorCode = "notPerformed" }
