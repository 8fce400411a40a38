internal import AtriumKit

/// What the tools of a session may do: `atrium mcp --allow` says so.
package enum ToolPermission: String, Sendable, CaseIterable {
    /// Look, and move within the session.
    case reads
    case changes
    case destroys

    /// Navigating changes nothing but where the session is.
    func allows(_ effect: Action.Effect) -> Bool {
        switch effect {
        case .reads, .navigates: true
        case .changes: self != .reads
        case .destroys: self == .destroys
        }
    }
}
