/// Why a screen would rather not be left now.
public struct LeaveObjection: Sendable, Hashable {
    /// The reason, in a sentence.
    public let reason: String
    /// A command that settles it, where there is one.
    public let hint: String?

    public init(_ reason: String, hint: String? = nil) {
        self.reason = reason
        self.hint = hint
    }
}
