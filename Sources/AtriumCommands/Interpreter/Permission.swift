package import AtriumKit
package import AtriumText

/// The actions that a session may perform.
///
/// Checked where an action is performed, so that no path bypasses it.
package enum Permission: String, Sendable, CaseIterable {
    /// Read, and navigate within the session.
    case reads
    case changes
    case destroys

    /// True if an effect is allowed; navigation changes only the position in the session.
    package func allows(_ effect: Action.Effect) -> Bool {
        switch effect {
        case .reads, .navigates: true
        case .changes: self != .reads
        case .destroys: self == .destroys
        }
    }

    /// - Throws: ``ShellError`` for an action that the session may not perform.
    package func check(_ name: String, _ effect: Action.Effect) throws(ShellError) {
        guard !allows(effect) else { return }
        let what = effect == .destroys ? "destroys something" : "changes something"
        let may = self == .reads ? "only read" : "only read and change"
        throw ShellError(
            "notAllowed", "'\(name)' \(what), but this session may \(may).",
            hint: "Start the session with more rights: atrium mcp --allow \(effect.rawValue)",
            category: .refused)
    }
}
