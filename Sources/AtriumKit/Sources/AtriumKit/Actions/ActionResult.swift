/// What is shown after an action.
public struct ActionResult: Sendable {
    /// A sentence that says what was done.
    public let message: String?
    @_spi(Host) public let presentation: Presentation

    private init(_ message: String?, _ presentation: Presentation) {
        self.message = message
        self.presentation = presentation
    }

    /// The screen as it is now, after a sentence that says what was done.
    public static func updated(_ message: String? = nil) -> ActionResult {
        ActionResult(message, .currentView)
    }

    /// The screen as it is now.
    public static var updated: ActionResult { .updated(nil) }

    /// The screen of `destination`, shown once; the stack stays as it is.
    public static func show(_ destination: any Destination, _ message: String? = nil) -> ActionResult {
        ActionResult(message, .destination(destination))
    }

    /// Content of its own.
    public static func content(_ content: Content, _ message: String? = nil) -> ActionResult {
        ActionResult(message, .content(content))
    }

    /// Leaves the screen, because what it showed is done with or gone; `destination` is shown where there is
    /// no screen to return to.
    public static func leave(_ message: String? = nil, showing destination: (any Destination)? = nil)
        -> ActionResult
    {
        ActionResult(message, .leave(destination))
    }

    /// Leaves the screen, because it has what it was for: where it was presented, `value` goes to whoever
    /// presented it; else `destination` is shown if there is no screen to return to.
    ///
    /// - Throws: `EncodingError` if the value can't be expressed as JSON.
    public static func leave(
        _ message: String? = nil, returning value: some Encodable,
        showing destination: (any Destination)? = nil
    ) throws -> ActionResult {
        ActionResult(message, .leaveReturning(try PresentedResult(value), destination))
    }

    /// Leaves what was presented, and hands `value` to whoever presented it.
    ///
    /// - Throws: `EncodingError` if the value can't be expressed as JSON.
    public static func dismiss(returning value: some Encodable, _ message: String? = nil) throws
        -> ActionResult
    {
        ActionResult(message, .dismiss(try PresentedResult(value)))
    }

    /// Leaves what was presented, without a result.
    public static func dismiss(_ message: String? = nil) -> ActionResult {
        ActionResult(message, .dismiss(.cancelled))
    }

    @_spi(Host) @frozen public enum Presentation: Sendable {
        case currentView
        case destination(any Destination)
        case content(Content)
        case leave((any Destination)?)
        case leaveReturning(PresentedResult, (any Destination)?)
        case dismiss(PresentedResult)
    }
}
