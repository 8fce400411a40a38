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
    /// Also run code that is typed.
    case code

    /// True if an effect is allowed; navigation changes only the position in the session.
    package func allows(_ effect: Action.Effect) -> Bool {
        switch effect {
        case .reads, .navigates: true
        case .changes: self != .reads
        case .destroys: self == .destroys || self == .code
        }
    }

    /// True if a command of the host does not need the permission for code, or has it.
    @MainActor
    package func allows(command: String) -> Bool {
        self == .code || !HostCommands.runningCode.contains(command)
    }

    /// - Throws: ``ShellError`` for a command of the host that runs code, if the session may not.
    @MainActor
    package func check(command: String) throws(ShellError) {
        guard !allows(command: command) else { return }
        throw ShellError(
            "notAllowed", "'\(command)' runs code, which this session may not.",
            hint: "Start the session with more rights: atrium mcp --allow code", category: .refused)
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
