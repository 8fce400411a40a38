/// The state and the actions of one screen.
///
/// A view model is a `@MainActor @Observable final class` whose state only it changes. One is made per
/// stack entry and released when the entry is left.
@MainActor
public protocol ViewModel: AnyObject {
    /// What of the state is kept with the stack entry, also across restarts; ``NoSavedState`` for none.
    associatedtype SavedState: Codable & Sendable = NoSavedState

    /// The state to keep, asked for after each command.
    var savedState: SavedState { get }

    /// Puts back the state of an earlier view model of the same entry, before the view loads.
    func restore(_ state: SavedState)

    /// The place that shows what the screen shows now, where that is another one than was entered, as after
    /// going on to another page; nil unless given.
    var shownDestination: (any Destination)? { get }

    /// Why the screen would rather not be left now, as with edits that are not stored; none unless given.
    ///
    /// Whoever wants to leave is told, and may leave all the same.
    var leaveObjections: [LeaveObjection] { get }

    /// Takes the result of a screen that was presented for one of its slots, where nobody waits for it any
    /// more: the process, or the module, was exchanged in between.
    func receive(_ result: ReturnedResult) async throws
}

extension ViewModel {
    public var shownDestination: (any Destination)? { nil }
    public var leaveObjections: [LeaveObjection] { [] }
    public func receive(_ result: ReturnedResult) async throws {}
}

/// The saved state of a view model that keeps none.
public struct NoSavedState: Codable, Sendable {
    public init() {}
}

extension ViewModel where SavedState == NoSavedState {
    public var savedState: NoSavedState { NoSavedState() }
    public func restore(_ state: NoSavedState) {}
}
