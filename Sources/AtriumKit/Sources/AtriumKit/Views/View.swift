/// The content and the actions of a screen.
///
/// A value built from its view model's state; the same body is rendered for a terminal, as text and as JSON.
@MainActor
public protocol View {
    /// The content.
    @ContentBuilder var body: Content { get }
    /// The actions; none by default.
    @ActionsBuilder var actions: [Action] { get }
    /// Loads the content when the screen is entered or shown again; if it throws, the screen is not entered.
    func load() async throws
}

extension View {
    /// No actions, by default.
    public var actions: [Action] { [] }
    /// Loads nothing, by default.
    public func load() async throws {}
}

/// The state and the operations of one screen.
///
/// A view model is a `@MainActor @Observable final class` whose state only it changes. One is built per stack
/// entry and released when the entry is left.
@MainActor
public protocol ViewModel: AnyObject {
    /// The part of the state kept with the stack entry, also across restarts; ``NoSavedState`` for none.
    associatedtype SavedState: Codable & Sendable = NoSavedState

    /// The state to keep; read after each command.
    var savedState: SavedState { get }

    /// Restores the state of an earlier view model of the same entry, before the view loads.
    func restore(_ state: SavedState)

    /// The version of the saved state, kept with it; 1 by default.
    static var savedStateVersion: Int { get }

    /// Migrates a saved state, as Codable wrote it, from any lower version; nil, the default, if it can't be
    /// migrated.
    static func migrateSavedState(_ state: JSONObject, from version: Int) throws -> JSONObject?

    /// The destination of what the screen now shows, if it differs from the one entered, as after turning a
    /// page; nil by default.
    var shownDestination: (any Destination)? { get }

    /// Reasons not to leave the screen now, such as unsaved edits; the user may leave anyway.
    var leaveObjections: [LeaveObjection] { get }

    /// Receives the result of a screen presented for one of its slots, if no call waits for it any more
    /// because the process or the module was replaced in between.
    func receive(_ result: ReturnedResult) async throws
}

extension ViewModel {
    /// 1 by default; increase it when the form of the saved state changes.
    public static var savedStateVersion: Int { 1 }
    /// Migrates nothing, by default: state of an older version is not restored.
    public static func migrateSavedState(_ state: JSONObject, from version: Int) throws -> JSONObject? { nil }
    /// Nil by default: `link` shows the destination that was entered.
    public var shownDestination: (any Destination)? { nil }
    /// No objections, by default.
    public var leaveObjections: [LeaveObjection] { [] }
    /// Drops the result, by default.
    public func receive(_ result: ReturnedResult) async throws {}
}

/// The saved state of a view model that keeps none.
public struct NoSavedState: Codable, Sendable {
    public init() {}
}

extension ViewModel where SavedState == NoSavedState {
    /// Nothing to keep, for a view model without saved state.
    public var savedState: NoSavedState { NoSavedState() }
    /// Restores nothing, for a view model without saved state.
    public func restore(_ state: NoSavedState) {}
}

// One without the other would save nothing: SavedState would be inferred as NoSavedState.
extension ViewModel {
    @available(*, unavailable, message: "A view model with 'savedState' also needs 'func restore(_ state:)'.")
    public func restore(_ state: SavedState) {}

    @available(*, unavailable, message: "A view model with 'restore(_:)' also needs 'var savedState'.")
    public var savedState: SavedState { preconditionFailure("It is unavailable.") }
}

/// A reason not to leave a screen now.
public struct LeaveObjection: Sendable, Hashable {
    /// The reason, in a sentence.
    public let reason: String
    /// A command that resolves it.
    public let hint: String?

    /// Creates an objection; `reason` is a sentence, `hint` a command that resolves it.
    public init(_ reason: String, hint: String? = nil) {
        self.reason = reason
        self.hint = hint
    }
}
