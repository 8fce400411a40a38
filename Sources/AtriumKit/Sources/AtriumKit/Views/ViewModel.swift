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
}

/// The saved state of a view model that keeps none.
public struct NoSavedState: Codable, Sendable {
    public init() {}
}

extension ViewModel where SavedState == NoSavedState {
    public var savedState: NoSavedState { NoSavedState() }
    public func restore(_ state: NoSavedState) {}
}
