/// The name of a guard that decides who may go to a place, as in `signed-in`.
public struct GuardName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        self.rawValue = value
    }

    public var description: String { rawValue }

    /// Lets in who is signed in.
    public static let signedIn: GuardName = "signed-in"
}
