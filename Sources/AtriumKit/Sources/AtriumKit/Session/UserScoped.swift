/// A value that a view model loaded for the signed-in user, and that the next user does not see.
///
/// ```swift
/// private var loaded: UserScoped<[Invoice]>
/// var invoices: [Invoice] { loaded.value ?? [] }
///
/// func load() async throws {
///     let user = session.user
///     loaded.set(try await repository.invoices(), for: user)
/// }
/// ```
///
/// ``OutdatedNotice`` tells the next user why nothing is shown.
@MainActor
public struct UserScoped<Value> {
    private let session: SessionState
    private var loaded: (value: Value, user: String?)?

    /// Creates a scope without a value.
    public init(_ session: SessionState) { self.session = session }

    /// The value; nil before it is set, and if another user is signed in now; observable.
    public var value: Value? { isOutdated ? nil : loaded?.value }
    /// True if the signed-in user is no longer the one that the value was loaded for; observable.
    public var isOutdated: Bool { loaded.map { $0.user != session.user?.id } ?? false }

    /// Sets the value that was loaded for a user; nil for a guest.
    public mutating func set(_ value: Value, for user: SessionUser?) { loaded = (value, user?.id) }

    /// Removes the value.
    public mutating func clear() { loaded = nil }
}

/// Says that what a screen has loaded belongs to another user, and is not shown.
public struct OutdatedNotice: View {
    private let isOutdated: Bool
    private let hint: String

    /// Shows the notice if `isOutdated`; `hint` is the command that loads the screen again.
    public init(_ isOutdated: Bool, hint: String) { (self.isOutdated, self.hint) = (isOutdated, hint) }

    public var body: Content {
        if isOutdated { Notice(.information, Self.sentence, hint: hint) }
    }

    nonisolated static let sentence = "Who is signed in has changed since this was loaded."
}
