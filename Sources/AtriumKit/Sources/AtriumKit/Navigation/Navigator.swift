/// Moves between the screens of all modules.
///
/// A view model receives the navigator of the stack that it is on. What it asks for while a navigation is under
/// way, from within that navigation, is done right after it; of two navigations that compete, the newer one
/// wins, and the other throws `CancellationError`.
@MainActor
public protocol Navigator: AnyObject {
    /// Puts a place of this module on the stack and shows it.
    func push(_ destination: any Destination) async throws
    /// Puts the place of a link, of any module, on the stack and shows it.
    func open(_ link: String) async throws
    /// Leaves the current place; does nothing at the root.
    func back() async throws
    /// Returns to the place that ``back()`` left last; does nothing where there is none.
    func forward() async throws
    /// Leaves every place above the nearest one that has this link.
    func pop(to link: String) async throws
    /// Leaves every place.
    func root() async throws
    /// Puts a place of this module where the current one is.
    func replace(with destination: any Destination) async throws
    /// Makes the places of these links the whole stack, the last one the current place.
    func replaceAll(with links: [String]) async throws
    /// Makes a place of this module the current one: the one that is on the stack, where there is one.
    func bringToFront(_ destination: any Destination) async throws
    /// Presents something over the current place, and waits until it is dismissed or left.
    func present(_ item: PresentedItem) async throws -> PresentedResult
    /// Leaves what was presented last, with its result.
    func dismiss(_ result: PresentedResult) async throws
}

extension Navigator {
    /// Presents a place of this module and waits for what comes back.
    ///
    /// - Parameters:
    ///   - destination: What is presented.
    ///   - slot: Where the result arrives if the process ends in between; see ``ViewModel/receive(_:)``.
    /// - Returns: The result; nil where it was left without one.
    /// - Throws: What keeps it from being presented; `CancellationError` where nobody waits any more.
    public func present<Place: ResultDestination>(
        _ destination: Place, for slot: ResultSlot<Place.Result>? = nil
    ) async throws -> Place.Result? {
        try await present(PresentedItem(destination, slot: slot?.name)).value(as: Place.Result.self)
    }

    /// Presents the place of a link, of any module, and waits for what comes back.
    ///
    /// - Throws: `DecodingError` where the result has another form.
    public func present<Value>(_ link: String, for slot: ResultSlot<Value>) async throws -> Value? {
        try await present(PresentedItem(link: link, slot: slot.name)).value(as: Value.self)
    }

    /// Presents a message and waits until it is answered; nil where it was left without an answer.
    @discardableResult
    public func alert(_ alert: Alert) async throws -> String? {
        try await present(PresentedItem(alert)).value(as: String.self)
    }

    /// Asks whether something is to be done.
    ///
    /// - Parameters:
    ///   - question: The question, in a sentence.
    ///   - message: What there is to know before.
    ///   - summary: What the answer `yes` does, in a line.
    /// - Returns: Whether the answer was `yes`.
    /// - Throws: `CancellationError` where nobody waits any more.
    public func confirm(_ question: String, message: String? = nil, doing summary: String) async throws
        -> Bool
    {
        try await alert(.confirmation(question, message: message, doing: summary)) == "yes"
    }

    /// Leaves what was presented last, with a result.
    public func dismiss(returning value: some Encodable & Sendable) async throws {
        try await dismiss(PresentedResult(value))
    }

    /// Leaves what was presented last without a result.
    public func dismiss() async throws {
        try await dismiss(.cancelled)
    }
}
