/// Navigation between the screens of all modules.
///
/// A view model receives the navigator of its stack. A navigation requested from within another one runs
/// right after it; of two concurrent navigations the newer one wins, and the other throws
/// `CancellationError`.
@MainActor
public protocol Navigator: AnyObject {
    /// Pushes a destination of this module.
    func push(_ destination: any Destination) async throws
    /// Pushes the destination of a link, of any module.
    func open(_ link: String) async throws
    /// Pops the current entry; does nothing at the root.
    func back() async throws
    /// Returns to the entry that ``back()`` left last; does nothing if there is none.
    func forward() async throws
    /// Pops every entry above the nearest one that has this link.
    func pop(to link: String) async throws
    /// Pops all entries.
    func root() async throws
    /// Replaces the current entry with a destination of this module.
    func replace(with destination: any Destination) async throws
    /// Replaces the whole stack with the destinations of these links; the last one is current.
    func replaceAll(with links: [String]) async throws
    /// Makes a destination of this module current: the entry on the stack if there is one, else a new one.
    func bringToFront(_ destination: any Destination) async throws
    /// Presents an item over the current screen, and waits until it is dismissed or left.
    func present(_ item: PresentedItem) async throws -> PresentedResult
    /// Leaves the screen presented last, with its result.
    func dismiss(_ result: PresentedResult) async throws
}

extension Navigator {
    /// Presents a destination of this module and waits for its result; nil if it was left without one.
    ///
    /// The slot receives the result if the process ends in between; see ``ViewModel/receive(_:)``.
    public func present<Presented: ResultDestination>(
        _ destination: Presented, for slot: ResultSlot<Presented.Result>? = nil
    ) async throws -> Presented.Result? {
        try await present(PresentedItem(destination, slot: slot?.name)).value(as: Presented.Result.self)
    }

    /// Presents the destination of a link, of any module, and waits for its result.
    public func present<Value>(_ link: String, for slot: ResultSlot<Value>) async throws -> Value? {
        try await present(PresentedItem(link: link, slot: slot.name)).value(as: Value.self)
    }

    /// Presents a message and waits until it is answered; nil if it was left without an answer.
    @discardableResult
    public func alert(_ alert: Alert) async throws -> String? {
        try await present(PresentedItem(alert)).value(as: String.self)
    }

    /// Asks a question, in a sentence; `summary` says what the answer `yes` does.
    public func confirm(_ question: String, message: String? = nil, doing summary: String) async throws
        -> Bool
    {
        try await alert(.confirmation(question, message: message, doing: summary)) == "yes"
    }

    /// Leaves the screen presented last, with a result.
    public func dismiss(returning value: some Encodable & Sendable) async throws {
        try await dismiss(PresentedResult(value))
    }

    /// Leaves the screen presented last, without a result.
    public func dismiss() async throws { try await dismiss(.cancelled) }
}

/// A navigator that does nothing, for screens that are built and not shown.
@_spi(Host) public final class StationaryNavigator: Navigator {
    public init() {}

    public func push(_ destination: any Destination) async throws {}
    public func open(_ link: String) async throws {}
    public func back() async throws {}
    public func forward() async throws {}
    public func pop(to link: String) async throws {}
    public func root() async throws {}
    public func replace(with destination: any Destination) async throws {}
    public func replaceAll(with links: [String]) async throws {}
    public func bringToFront(_ destination: any Destination) async throws {}
    /// Returns `cancelled` at once, as no user can answer.
    public func present(_ item: PresentedItem) async throws -> PresentedResult { .cancelled }
    public func dismiss(_ result: PresentedResult) async throws {}
}
