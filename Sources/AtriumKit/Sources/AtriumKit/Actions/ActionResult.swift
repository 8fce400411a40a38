/// The outcome of an action: a message, and the screen or content that the host shows.
public struct ActionResult: Sendable {
    /// A sentence that says what was done.
    public let message: String?
    /// The screen or the content that the host shows next.
    @_spi(Host) public let presentation: Presentation
    /// The reason that the screen can't show what the action has done.
    @_spi(Host) public private(set) var warning: (any Error)?

    private init(_ message: String?, _ presentation: Presentation) {
        self.message = message
        self.presentation = presentation
    }

    /// Loads and shows the current screen after a change that was made.
    ///
    /// If loading fails, the change still counts as made: the error is a warning beside `message`.
    nonisolated(nonsending) public static func made(
        _ message: String, loading load: nonisolated(nonsending) () async throws -> Void
    ) async -> ActionResult {
        do {
            try await load()
            return .updated(message)
        } catch {
            return .made(message, notShown: error)
        }
    }

    /// Reports a change whose result can't be shown because of `error`, which becomes a warning.
    public static func made(_ message: String, notShown error: any Error) -> ActionResult {
        var result = ActionResult.updated(message)
        result.warning = error
        return result
    }

    /// Shows the current screen, after a sentence that says what was done.
    public static func updated(_ message: String? = nil) -> ActionResult {
        ActionResult(message, .currentView)
    }

    /// Shows the current screen.
    public static var updated: ActionResult { .updated(nil) }

    /// Shows the screen of `destination` once, without pushing it.
    public static func show(_ destination: any Destination, _ message: String? = nil) -> ActionResult {
        ActionResult(message, .destination(destination))
    }

    /// Shows content.
    public static func content(_ content: Content, _ message: String? = nil) -> ActionResult {
        ActionResult(message, .content(content))
    }

    /// Leaves the screen; shows `destination` if there is no screen to return to.
    public static func leave(_ message: String? = nil, showing destination: (any Destination)? = nil)
        -> ActionResult
    {
        ActionResult(message, .leave(destination))
    }

    /// Leaves the screen with a result for its presenter; if it was not presented, shows `destination` if
    /// there is no screen to return to.
    public static func leave(
        _ message: String? = nil, returning value: some Encodable,
        showing destination: (any Destination)? = nil
    ) throws -> ActionResult {
        ActionResult(message, .leaveReturning(try PresentedResult(value), destination))
    }

    /// Dismisses a presented screen, and passes `value` to its presenter.
    public static func dismiss(returning value: some Encodable, _ message: String? = nil) throws
        -> ActionResult
    {
        ActionResult(message, .dismiss(try PresentedResult(value)))
    }

    /// Dismisses a presented screen without a result.
    public static func dismiss(_ message: String? = nil) -> ActionResult {
        ActionResult(message, .dismiss(.cancelled))
    }

    /// The kinds of outcome that the host can show.
    @_spi(Host) @frozen public enum Presentation: Sendable {
        case currentView
        case destination(any Destination)
        case content(Content)
        case leave((any Destination)?)
        case leaveReturning(PresentedResult, (any Destination)?)
        case dismiss(PresentedResult)
    }
}
