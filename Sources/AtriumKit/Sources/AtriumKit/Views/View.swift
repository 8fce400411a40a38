/// What a screen shows and what a person can do there.
///
/// A value made of its view model's state: the same body is rendered as text, as plain text and as JSON.
@MainActor
public protocol View {
    /// What is shown.
    @ContentBuilder var body: Content { get }
    /// What a person can do; nothing unless given.
    @ActionsBuilder var actions: [Action] { get }
    /// Brings what is shown up to date; runs when the screen is entered or shown again.
    ///
    /// - Throws: What the layers below report; the screen is then not entered.
    func load() async throws
}

extension View {
    public var actions: [Action] { [] }
    public func load() async throws {}
}
